import { grams, nameKey } from '#lib/text.ts'
import { isCollected } from '#modules/collections/index.ts'
import { purchasesOf } from '#modules/purchases/index.ts'
import { type Db, type Fragment, ifGiven, type Row, when } from '#platform/database'

export type SpecialRow = Row<
  'music_specials',
  'id' | 'title' | 'intro' | 'storage' | 'storage_size' | 'sort' | 'created_at' | 'updated_at' | 'deleted_at'
> &
  Row<'music_special_counts', 'collect_count'> & {
    taste_count: number
    share_count: number
    comment_count: number
    has_collect: boolean
  }

const earlierThan = (sql: Db, id: number): Fragment => when(sql, id > 0, () => sql`and p.id < ${id}`)

const specials = (sql: Db, viewerId: number, where: Fragment, end: Fragment) => sql<SpecialRow[]>`
  select p.id, p.title, p.intro, p.storage, p.storage_size, p.sort, p.created_at, p.updated_at, p.deleted_at,
    s.taste_count, c.share_count + s.share_count as share_count, c.comment_count + s.comment_count as comment_count,
    c.collect_count,
    ${isCollected(sql, 'music_specials', sql`p.id`, viewerId)} as has_collect
  from (select * from music_specials p where deleted_at is null ${where} order by id desc ${end}) p
  join music_special_counts c on c.special_id = p.id
  cross join lateral (
    select coalesce(sum(n.taste_count), 0)::bigint as taste_count, coalesce(sum(n.share_count), 0)::bigint as share_count,
      coalesce(sum(n.comment_count), 0)::bigint as comment_count
    from music_special_songs l join music_song_counts n on n.song_id = l.song_id where l.special_id = p.id
  ) s
  order by p.id desc`

export type SpecialPage = {
  ids?: number[] | undefined
  before?: number | undefined
  limit: number
  viewerId: number
}

/** Lists albums newest first, all or those of `ids`. */
export const listSpecials = (sql: Db, { ids, before = 0, limit, viewerId }: SpecialPage) =>
  specials(
    sql,
    viewerId,
    sql`${ifGiven(sql, ids, (list) => sql`and p.id = any(${list})`)} ${earlierThan(sql, before)}`,
    sql`limit ${limit}`,
  )

/** Lists bought albums, newest first, without those that became free. */
export const listBoughtSpecials = (sql: Db, userId: number, before: number, limit: number) =>
  specials(
    sql,
    userId,
    sql`and p.id in (${purchasesOf(sql, userId, 'music')}) ${earlierThan(sql, before)}`,
    sql`limit ${limit}`,
  )

/** Lists the albums of songs, at most 20 per song, newest first. */
export const listSpecialsOf = (sql: Db, songIds: number[]) => sql<
  { song_id: number; id: number; title: string }[]
>`
  select s.id as song_id, p.id, p.title
  from unnest(${songIds}::bigint[]) as s (id)
  cross join lateral (
    select a.id, a.title from music_special_songs l join music_specials a on a.id = l.special_id
    where l.song_id = s.id and a.deleted_at is null order by l.special_id desc limit 20
  ) p
  order by s.id, p.id desc`

export const findSpecial = async (sql: Db, id: number, viewerId: number) =>
  (await specials(sql, viewerId, sql`and p.id = ${id}`, sql``))[0]

export const findSpecialTitle = async (sql: Db, id: number) =>
  (
    await sql<{ title: string }[]>`select title from music_specials where id = ${id} and deleted_at is null`
  )[0]?.title

/** Locks an album while it is commented on, collected or deleted. */
export const liveSpecial = (sql: Db, id: number): Fragment =>
  sql`select id from music_specials where id = ${id} and deleted_at is null`

/** Filters the ids down to existing albums and locks them against deletion. */
export const findLiveSpecials = (sql: Db, ids: number[]) => sql<{ id: number }[]>`
  select id from music_specials where id = any(${ids}) and deleted_at is null order by id for share`

/** Counts one share. Returns false when the album does not exist. */
export async function countSpecialShare(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`
    update music_special_counts set share_count = share_count + 1
    where special_id = (select id from music_specials where id = ${id} and deleted_at is null)`
  return rows.count > 0
}

export type SpecialValues = {
  title: string
  intro: string | null
  storage: number | null
  storageSize: string | null
  sort: number
}

export async function insertSpecial(sql: Db, special: SpecialValues): Promise<number> {
  const { title, intro, storage, storageSize, sort } = special
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into music_specials (title, title_key, title_grams, intro, storage, storage_size, sort)
      values (${title}, ${nameKey(title)}, ${grams(title)}, ${intro}, ${storage}, ${storageSize}, ${sort})
      returning id
    ),
    counted as (insert into music_special_counts (special_id) select id from made)
    select id from made`
  return row.id
}

/** Updates the given fields. */
export async function updateSpecial(
  sql: Db,
  id: number,
  { title, intro, storage, storageSize, sort }: Partial<SpecialValues>,
): Promise<void> {
  await sql`
    update music_specials set updated_at = now()
      ${ifGiven(sql, title, (value) => sql`, title = ${value}, title_key = ${nameKey(value)}, title_grams = ${grams(value)}`)}
      ${ifGiven(sql, intro, (value) => sql`, intro = ${value}`)}
      ${ifGiven(sql, storage, (value) => sql`, storage = ${value}, storage_size = ${storageSize ?? null}`)}
      ${ifGiven(sql, sort, (value) => sql`, sort = ${value}`)}
    where id = ${id}`
}

/** Soft-deletes an album; its songs stay, and its row stays for its buyers. */
export async function deleteSpecial(sql: Db, id: number): Promise<boolean> {
  const [row] = await sql<[{ gone: boolean }]>`
    with gone as (
      update music_specials set deleted_at = now(), updated_at = now() where id = ${id} and deleted_at is null
      returning id
    ),
    counts as (
      update music_special_counts set comment_count = 0, collect_count = 0
      where special_id in (select id from gone)
    ),
    links as (delete from music_special_songs where special_id in (select id from gone))
    select exists (select from gone) as gone`
  return row.gone
}
