import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database'
import { rowsByKey } from '#transfer/row-keys.ts'

type IdRow = { id: number; key: string }
const byKey = (rows: readonly IdRow[]) => new Map(rows.map(({ id, key }) => [key, id]))

export type ImportedSinger = {
  name: string
  cover: number | null
  coverSize: string | null
  createdAt: string | null
  updatedAt: string | null
}

export async function singersByKey(sql: Db, keys: string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map()
  return byKey(
    await sql<IdRow[]>`
      select id, name_key as key from music_singers where name_key = any(${keys}) and deleted_at is null`,
  )
}

export async function insertSingers(sql: Db, singers: ImportedSinger[]): Promise<Map<string, number>> {
  const entries = [...new Map(singers.map((singer) => [nameKey(singer.name), singer]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  if (entries.length === 0) return new Map()
  const column = <K extends keyof ImportedSinger>(name: K) => entries.map(([, singer]) => singer[name])
  return byKey(
    await sql<IdRow[]>`
      insert into music_singers (name, name_key, name_grams, cover, cover_size, created_at, updated_at)
      select name, key, array(select jsonb_array_elements_text(grams::jsonb)), cover, cover_size,
        coalesce(created_at, now()), coalesce(updated_at, created_at, now())
      from unnest(${column('name')}::text[], ${entries.map(([key]) => key)}::text[],
        ${entries.map(([key]) => JSON.stringify(grams(key)))}::text[], ${column('cover')}::bigint[],
        ${column('coverSize')}::text[], ${column('createdAt')}::timestamptz[], ${column('updatedAt')}::timestamptz[])
        with ordinality as s (name, key, grams, cover, cover_size, created_at, updated_at, n)
      order by n
      on conflict (name_key) where deleted_at is null do nothing returning id, name_key as key`,
  )
}

export type Imported = { id: number; deleted: boolean }

/** Finds imported songs or albums by their ids in the import file, including deleted ones. */
export async function findImported(
  sql: Db,
  table: 'music_songs' | 'music_specials',
  keys: string[],
): Promise<Map<string, Imported>> {
  if (keys.length === 0) return new Map()
  const rows = await sql<{ id: number; key: string; deleted: boolean }[]>`
    select k.key, t.id, t.deleted_at is not null as deleted
    from (${rowsByKey(sql, table, [...new Set(keys)])}) k join ${sql(table)} t on t.id = k.id`
  return new Map(rows.map(({ key, ...rest }) => [key, rest]))
}

export type ImportedSpecial = {
  key: string
  title: string
  intro: string | null
  sort: number
  storage: number | null
  storageSize: string | null
  shares: number
  createdAt: string | null
  updatedAt: string | null
}

export async function insertSpecials(sql: Db, specials: ImportedSpecial[]): Promise<Map<string, number>> {
  if (specials.length === 0) return new Map()
  const column = <K extends keyof ImportedSpecial>(name: K) => specials.map((special) => special[name])
  return byKey(
    await sql<IdRow[]>`
      with given as (
        select * from unnest(${column('key')}::text[], ${column('title')}::text[],
          ${specials.map(({ title }) => nameKey(title))}::text[],
          ${specials.map(({ title }) => JSON.stringify(grams(title)))}::text[], ${column('intro')}::text[],
          ${column('sort')}::int[], ${column('storage')}::bigint[], ${column('storageSize')}::text[],
          ${column('shares')}::bigint[], ${column('createdAt')}::timestamptz[], ${column('updatedAt')}::timestamptz[])
          with ordinality
          as s (key, title, title_key, grams, intro, sort, storage, size, shares, created_at, updated_at, n)
      ),
      made as (
        insert into music_specials (external_id, title, title_key, title_grams, intro, sort, storage, storage_size,
          created_at, updated_at)
        select key, title, title_key, array(select jsonb_array_elements_text(grams::jsonb)), intro, sort, storage, size,
          coalesce(created_at, now()), coalesce(updated_at, created_at, now())
        from given order by n on conflict do nothing returning id, external_id
      ),
      counted as (
        insert into music_special_counts (special_id, share_count)
        select m.id, g.shares from made m join given g on g.key = m.external_id
      )
      select id, external_id as key from made`,
  )
}

export type ImportedSong = {
  key: string
  title: string
  singerId: number
  storage: number | null
  lastTime: number
  lyric: string | null
  sort: number
  plays: number
  shares: number
  createdAt: string | null
  updatedAt: string | null
}

export async function insertSongs(sql: Db, songs: ImportedSong[]): Promise<Map<string, number>> {
  if (songs.length === 0) return new Map()
  const column = <K extends keyof ImportedSong>(name: K) => songs.map((song) => song[name])
  return byKey(
    await sql<IdRow[]>`
      with given as (
        select * from unnest(${column('key')}::text[], ${column('title')}::text[],
          ${songs.map(({ title }) => nameKey(title))}::text[],
          ${songs.map(({ title }) => JSON.stringify(grams(title)))}::text[], ${column('singerId')}::bigint[],
          ${column('storage')}::bigint[], ${column('lastTime')}::int[], ${column('lyric')}::text[],
          ${column('sort')}::int[], ${column('plays')}::bigint[], ${column('shares')}::bigint[],
          ${column('createdAt')}::timestamptz[], ${column('updatedAt')}::timestamptz[]) with ordinality
          as s (key, title, title_key, grams, singer_id, storage, last_time, lyric, sort, plays, shares, created_at,
            updated_at, n)
      ),
      made as (
        insert into music_songs (external_id, title, title_key, title_grams, singer_id, storage, last_time, lyric, sort,
          created_at, updated_at)
        select key, title, title_key, array(select jsonb_array_elements_text(grams::jsonb)), singer_id, storage,
          last_time, lyric, sort, coalesce(created_at, now()), coalesce(updated_at, created_at, now())
        from given order by n on conflict do nothing returning id, external_id
      ),
      counted as (
        insert into music_song_counts (song_id, taste_count, share_count)
        select m.id, g.plays, g.shares from made m join given g on g.key = m.external_id
      )
      select id, external_id as key from made`,
  )
}

export async function insertLinks(sql: Db, links: { specialId: number; songId: number }[]): Promise<void> {
  if (links.length === 0) return
  await sql`
    insert into music_special_songs (special_id, song_id)
    select * from unnest(${links.map(({ specialId }) => specialId)}::bigint[],
      ${links.map(({ songId }) => songId)}::bigint[]) on conflict do nothing`
}

export async function countImported(sql: Db, of: 'song' | 'special', ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const table = sql(`music_${of}_counts`)
  const key = sql(`${of}_id`)
  await sql`
    with wanted as (select id, count(*) as n from unnest(${ids}::bigint[]) as v (id) group by id),
    counts as (
      select c.${key} as id, w.n from ${table} c join wanted w on w.id = c.${key}
      order by c.${key} for no key update of c
    )
    update ${table} c set comment_count = c.comment_count + n.n from counts n where c.${key} = n.id`
}
