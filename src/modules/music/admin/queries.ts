import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import { amountOf, IN_EITHER } from '#modules/ledger/index.ts'
import { priceOf } from '#modules/purchases/index.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  type Row,
  when,
} from '#platform/database'
import {
  Id,
  IdList,
  Int,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

const Sort = Type.Optional(Int(-1_000_000, 1_000_000))
const times = { created_at: Time, updated_at: Time }

export const SingerRecord = Shared('SingerRecord', {
  id: Type.Integer(),
  name: Type.String(),
  cover: Nullable(Type.Integer()),
  songs_count: Type.Integer(),
  ...times,
})
export const SingerQuery = Type.Object({ ...listingQuery(['id', 'name']), name: Type.Optional(Text(100)) })
export type SingerQuery = Static<typeof SingerQuery>
export const NewSinger = Shared('NewSinger', { name: Text(100), cover: Type.Optional(Nullable(Id)) })

export const SpecialRecord = Shared('SpecialRecord', {
  id: Type.Integer(),
  title: Type.String(),
  intro: Nullable(Type.String()),
  storage: Nullable(Type.Integer()),
  sort: Type.Integer(),
  share_count: Type.Integer(),
  comment_count: Type.Integer(),
  collect_count: Type.Integer(),
  songs_count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_EITHER)),
  ...times,
})
export const SpecialQuery = Type.Object({
  ...listingQuery(['id', 'sort', 'collect_count', 'comment_count', 'share_count']),
  title: Type.Optional(Text(100)),
})
export type SpecialQuery = Static<typeof SpecialQuery>
export const NewSpecial = Shared('NewSpecial', {
  title: Text(255),
  intro: Type.Optional(Nullable(Text(10_000))),
  storage: Type.Optional(Nullable(Id)),
  sort: Sort,
  amount: Type.Optional(Nullable(amountOf(IN_EITHER))),
})

export const SongRecord = Shared('SongRecord', {
  id: Type.Integer(),
  title: Type.String(),
  singer_id: Type.Integer(),
  singer: Type.String(),
  storage: Nullable(Type.Integer()),
  last_time: Type.Integer(),
  lyric: Nullable(Type.String()),
  sort: Type.Integer(),
  specials: Type.Array(Type.Integer()),
  taste_count: Type.Integer(),
  share_count: Type.Integer(),
  comment_count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_EITHER)),
  paid_type: Nullable(Type.String()),
  ...times,
})
export const SongQuery = Type.Object({
  ...listingQuery(['id', 'sort', 'taste_count', 'share_count', 'comment_count']),
  title: Type.Optional(Text(100)),
  singer_id: Type.Optional(Id),
  special_id: Type.Optional(Id),
})
export type SongQuery = Static<typeof SongQuery>
export const NewSong = Shared('NewSong', {
  title: Text(255),
  singer_id: Id,
  storage: Type.Optional(Nullable(Id)),
  last_time: Type.Optional(Int(0, 10_000_000)),
  lyric: Type.Optional(Nullable(Text(100_000))),
  sort: Sort,
  specials: Type.Optional(IdList(500)),
  amount: Type.Optional(Nullable(amountOf(IN_EITHER))),
  paid_type: Type.Optional(OneOf(['listen', 'download'] as const)),
})
export type NewSong = Static<typeof NewSong>

export type SingerRecordRow = Row<'music_singers', 'id' | 'name' | 'cover' | 'created_at' | 'updated_at'> & {
  songs_count: number
}
export type SpecialRecordRow = Row<
  'music_specials',
  'id' | 'title' | 'intro' | 'storage' | 'sort' | 'created_at' | 'updated_at'
> &
  Row<'music_special_counts', 'share_count' | 'comment_count' | 'collect_count'> & {
    songs_count: number
    amount: number | null
  }
export type SongRecordRow = Row<
  'music_songs',
  'id' | 'title' | 'singer_id' | 'storage' | 'last_time' | 'lyric' | 'sort' | 'created_at' | 'updated_at'
> &
  Row<'music_song_counts', 'taste_count' | 'share_count' | 'comment_count'> & {
    singer: string
    specials: number[]
    amount: number | null
    paid_type: string | null
  }

const contains = (sql: Db, table: string, column: 'name' | 'title', part: string | undefined) => {
  const key = nameKey(part ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and ${sql(`${table}.${column}_grams`)} @> ${gramsOfQuery(key)}
      and ${sql(`${table}.${column}_key`)} like ${`%${escapeLike(key)}%`}`,
  )
}

const singerColumns = (sql: Db) => sql`
  g.id, g.name, g.cover, g.created_at, g.updated_at,
  (select count(*) from music_songs s where s.singer_id = g.id and s.deleted_at is null) as songs_count`

export function listSingerRecords(sql: Db, query: SingerQuery) {
  const { sort = 'id', name, q } = query
  const where = sql`where g.deleted_at is null ${contains(sql, 'g', 'name', name)} ${contains(sql, 'g', 'name', q)}`
  const by = sort === 'name' ? sql`g.name_key` : undefined
  return pageOf<SingerRecordRow>(
    sql,
    sql`select ${singerColumns(sql)} from music_singers g ${where}
      ${listingClause(sql, query, { id: sql`g.id`, by, from: sql`music_singers g` })}`,
    sql`select count(*)::int as total from music_singers g ${where}`,
  )
}

export async function findSingerRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SingerRecordRow[]>`
    select ${singerColumns(sql)} from music_singers g
    where g.id = ${id} and g.deleted_at is null ${when(sql, lock, () => sql`for update of g`)}`
  return row
}

const isCounted = (sort: string) => sort !== 'id' && sort !== 'sort'
const orderBy = (sql: Db, sort: string, own: Fragment) => {
  if (isCounted(sort)) return sql`c.${sql(sort)}`
  return sort === 'sort' ? own : undefined
}

const specialColumns = (sql: Db) => sql`
  p.id, p.title, p.intro, p.storage, p.sort, p.created_at, p.updated_at,
  c.share_count, c.comment_count, c.collect_count,
  (select count(*) from music_special_songs l where l.special_id = p.id) as songs_count,
  ${priceOf(sql, 'music', sql`p.id`, 'amount')} as amount`

export function listSpecialRecords(sql: Db, query: SpecialQuery) {
  const { sort = 'id', title, q } = query
  const where = sql`where p.deleted_at is null ${contains(sql, 'p', 'title', title)} ${contains(sql, 'p', 'title', q)}`
  const tables = sql`music_specials p join music_special_counts c on c.special_id = p.id`
  const order = {
    id: sql`p.id`,
    by: orderBy(sql, sort, sql`p.sort`),
    from: isCounted(sort) ? tables : sql`music_specials p`,
  }
  return pageOf<SpecialRecordRow>(
    sql,
    // Sorts album ids first, so that songs and prices are looked up only for the page.
    sql`select ${specialColumns(sql)} from ${tables}
      where p.id = any(array(select p.id from ${order.from} ${where} ${listingClause(sql, query, order)}))
      ${listingOrder(sql, query, order)}`,
    sql`select count(*)::int as total from music_specials p ${where}`,
  )
}

export async function findSpecialRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SpecialRecordRow[]>`
    select ${specialColumns(sql)} from music_specials p join music_special_counts c on c.special_id = p.id
    where p.id = ${id} and p.deleted_at is null ${when(sql, lock, () => sql`for update of p`)}`
  return row
}

const songColumns = (sql: Db) => sql`
  s.id, s.title, s.singer_id, g.name as singer, s.storage, s.last_time, s.lyric, s.sort, s.created_at, s.updated_at,
  array(select l.special_id from music_special_songs l where l.song_id = s.id order by 1) as specials,
  c.taste_count, c.share_count, c.comment_count,
  ${priceOf(sql, 'file', sql`s.storage`, 'amount')} as amount,
  ${priceOf(sql, 'file', sql`s.storage`, 'extra')} as paid_type`
const songTables = (sql: Db) => sql`
  music_songs s join music_song_counts c on c.song_id = s.id join music_singers g on g.id = s.singer_id`

export function listSongRecords(sql: Db, query: SongQuery) {
  const { sort = 'id', title, q, singer_id: singer, special_id: special } = query
  const where = sql`where s.deleted_at is null ${contains(sql, 's', 'title', title)} ${contains(sql, 's', 'title', q)}
    ${ifGiven(sql, singer, (value) => sql`and s.singer_id = ${value}`)}
    ${ifGiven(sql, special, (value) => sql`and s.id in (select song_id from music_special_songs where special_id = ${value})`)}`
  const order = {
    id: sql`s.id`,
    by: orderBy(sql, sort, sql`s.sort`),
    from: isCounted(sort)
      ? sql`music_songs s join music_song_counts c on c.song_id = s.id`
      : sql`music_songs s`,
  }
  return pageOf<SongRecordRow>(
    sql,
    // Sorts song ids first, so that albums and prices are looked up only for the page.
    sql`select ${songColumns(sql)} from ${songTables(sql)}
      where s.id = any(array(select s.id from ${order.from} ${where} ${listingClause(sql, query, order)}))
      ${listingOrder(sql, query, order)}`,
    sql`select count(*)::int as total from music_songs s ${where}`,
  )
}

export async function findSongRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SongRecordRow[]>`
    select ${songColumns(sql)} from ${songTables(sql)}
    where s.id = ${id} and s.deleted_at is null ${when(sql, lock, () => sql`for update of s`)}`
  return row
}
