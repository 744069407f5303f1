import type { Db } from '#platform/database.ts'
import { rowKey } from '#platform/row-keys.ts'

const EXPORTED = 1000

/** Singers after an id, for an export. */
export const exportSingers = (sql: Db, after: number) => sql<
  { id: number; name: string; cover: number | null; created_at: string; updated_at: string }[]
>`
  select id, name, cover, created_at, updated_at from music_singers
  where id > ${after} and deleted_at is null order by id limit ${EXPORTED}`

/** Albums after an id, for an export. */
export const exportSpecials = (sql: Db, after: number) => sql<
  {
    id: number
    key: string
    title: string
    intro: string | null
    sort: number
    storage: number | null
    amount: number | null
    share_count: number
    created_at: string
    updated_at: string
  }[]
>`
  select p.id, ${rowKey(sql, 'p')} as key, p.title, p.intro, p.sort, p.storage,
    (select n.amount from paid_nodes n where n.channel = 'music' and n.raw = p.id and not n.free) as amount,
    c.share_count, p.created_at, p.updated_at
  from music_specials p join music_special_counts c on c.special_id = p.id
  where p.id > ${after} and p.deleted_at is null order by p.id limit ${EXPORTED}`

/** Songs after an id, for an export. */
export const exportSongs = (sql: Db, after: number) => sql<
  {
    id: number
    key: string
    title: string
    singer: string
    last_time: number
    lyric: string | null
    sort: number
    specials: string[]
    storage: number | null
    amount: number | null
    paid_type: string | null
    taste_count: number
    share_count: number
    created_at: string
    updated_at: string
  }[]
>`
  select s.id, ${rowKey(sql, 's')} as key, s.title, g.name as singer, s.last_time, s.lyric, s.sort,
    array(
      select ${rowKey(sql, 'p')} from music_special_songs l
      join music_specials p on p.id = l.special_id where l.song_id = s.id order by p.id
    ) as specials,
    s.storage, n.amount, n.extra as paid_type, c.taste_count, c.share_count, s.created_at, s.updated_at
  from music_songs s join music_singers g on g.id = s.singer_id join music_song_counts c on c.song_id = s.id
  left join paid_nodes n on n.channel = 'file' and n.raw = s.storage and not n.free
  where s.id > ${after} and s.deleted_at is null order by s.id limit ${EXPORTED}`

/** The ids in an export of songs or albums that are not deleted. */
export async function exportedKeys(
  sql: Db,
  table: 'music_songs' | 'music_specials',
  ids: number[],
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; key: string }[]>`
    select t.id, ${rowKey(sql, 't')} as key from ${sql(table)} t where t.id = any(${ids}) and t.deleted_at is null`
  return new Map(rows.map(({ id, key }) => [id, key]))
}
