import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { SingerQuery, SongQuery, SpecialQuery } from './schema.ts'

type Times = { created_at: string; updated_at: string }
export type SingerRow = Times & { id: number; name: string; cover: number | null; songs_count: number }
export type SpecialRow = Times & {
  id: number
  title: string
  intro: string | null
  storage: number | null
  sort: number
  share_count: number
  comment_count: number
  collect_count: number
  songs_count: number
  amount: number | null
}
export type SongRow = Times & {
  id: number
  title: string
  singer_id: number
  singer: string
  storage: number | null
  last_time: number
  lyric: string | null
  sort: number
  specials: number[]
  taste_count: number
  share_count: number
  comment_count: number
  amount: number | null
  paid_type: string | null
}

/** A part of a name or title: the columns are named `<column>_key` and `<column>_grams`. */
const contains = (sql: Db, table: string, column: 'name' | 'title', part: string | undefined) => {
  const key = nameKey(part ?? '')
  return key === ''
    ? sql``
    : sql`and ${sql(`${table}.${column}_grams`)} @> ${gramsOfQuery(key)}
        and ${sql(`${table}.${column}_key`)} like ${`%${escapeLike(key)}%`}`
}
const direction = (sql: Db, order: 'asc' | 'desc' | undefined) => (order === 'asc' ? sql`asc` : sql`desc`)

const singerColumns = (sql: Db) => sql`
  g.id, g.name, g.cover, g.created_at, g.updated_at,
  (select count(*) from music_songs s where s.singer_id = g.id and s.deleted_at is null) as songs_count`

/** A page of singers. */
export function listSingerRecords(sql: Db, query: SingerQuery) {
  const { page = 1, limit = 15, sort = 'id', order, name, q } = query
  const where = sql`where g.deleted_at is null ${contains(sql, 'g', 'name', name)} ${contains(sql, 'g', 'name', q)}`
  const by = direction(sql, order)
  return pageOf<SingerRow>(
    sql`select ${singerColumns(sql)} from music_singers g ${where}
      order by ${sort === 'name' ? sql`g.name_key ${by},` : sql``} g.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from music_singers g ${where}`,
  )
}

export async function findSingerRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SingerRow[]>`
    select ${singerColumns(sql)} from music_singers g
    where g.id = ${id} and g.deleted_at is null ${lock ? sql`for update of g` : sql``}`
  return row
}

const specialColumns = (sql: Db) => sql`
  p.id, p.title, p.intro, p.storage, p.sort, p.created_at, p.updated_at,
  c.share_count, c.comment_count, c.collect_count,
  (select count(*) from music_special_songs l where l.special_id = p.id) as songs_count,
  (select n.amount from paid_nodes n where n.channel = 'music' and n.raw = p.id and not n.free) as amount`

/** A page of albums, with what is counted on themselves. */
export function listSpecialRecords(sql: Db, query: SpecialQuery) {
  const { page = 1, limit = 15, sort = 'id', order, title, q } = query
  const where = sql`where p.deleted_at is null ${contains(sql, 'p', 'title', title)} ${contains(sql, 'p', 'title', q)}`
  const by = direction(sql, order)
  const column = sort === 'sort' ? sql`p.sort ${by},` : sql`c.${sql(sort)} ${by},`
  return pageOf<SpecialRow>(
    sql`select ${specialColumns(sql)} from music_specials p join music_special_counts c on c.special_id = p.id ${where}
      order by ${sort === 'id' ? sql`` : column} p.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from music_specials p ${where}`,
  )
}

export async function findSpecialRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SpecialRow[]>`
    select ${specialColumns(sql)} from music_specials p join music_special_counts c on c.special_id = p.id
    where p.id = ${id} and p.deleted_at is null ${lock ? sql`for update of p` : sql``}`
  return row
}

const songColumns = (sql: Db) => sql`
  s.id, s.title, s.singer_id, g.name as singer, s.storage, s.last_time, s.lyric, s.sort, s.created_at, s.updated_at,
  array(select l.special_id from music_special_songs l where l.song_id = s.id order by 1) as specials,
  c.taste_count, c.share_count, c.comment_count,
  (select n.amount from paid_nodes n where n.channel = 'file' and n.raw = s.storage and not n.free) as amount,
  (select n.extra from paid_nodes n where n.channel = 'file' and n.raw = s.storage and not n.free) as paid_type`
const songTables = (sql: Db) => sql`
  music_songs s join music_song_counts c on c.song_id = s.id join music_singers g on g.id = s.singer_id`

/** A page of songs. */
export function listSongRecords(sql: Db, query: SongQuery) {
  const { page = 1, limit = 15, sort = 'id', order, title, q, singer_id: singer, special_id: special } = query
  const where = sql`where s.deleted_at is null ${contains(sql, 's', 'title', title)} ${contains(sql, 's', 'title', q)}
    ${singer === undefined ? sql`` : sql`and s.singer_id = ${singer}`}
    ${special === undefined ? sql`` : sql`and s.id in (select song_id from music_special_songs where special_id = ${special})`}`
  const by = direction(sql, order)
  const column = sort === 'sort' ? sql`s.sort ${by},` : sql`c.${sql(sort)} ${by},`
  return pageOf<SongRow>(
    sql`select ${songColumns(sql)} from ${songTables(sql)} ${where}
      order by ${sort === 'id' ? sql`` : column} s.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from music_songs s ${where}`,
  )
}

export async function findSongRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<SongRow[]>`
    select ${songColumns(sql)} from ${songTables(sql)}
    where s.id = ${id} and s.deleted_at is null ${lock ? sql`for update of s` : sql``}`
  return row
}
