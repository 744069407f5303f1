import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'

type IdRow = { id: number; key: string }
const byKey = (rows: readonly IdRow[]) => new Map(rows.map(({ id, key }) => [key, id]))

/** Singers by the key of their name; those that are unknown are made. */
export async function singersByName(sql: Db, names: string[]): Promise<Map<string, number>> {
  const wanted = new Map(names.map((name) => [nameKey(name), name]))
  const entries = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return new Map()
  await sql`
    insert into music_singers (name, name_key, name_grams)
    select name, key, array(select jsonb_array_elements_text(grams::jsonb))
    from unnest(${entries.map(([, name]) => name)}::text[], ${entries.map(([key]) => key)}::text[],
      ${entries.map(([key]) => JSON.stringify(grams(key)))}::text[]) as s (name, key, grams)
    on conflict (name_key) where deleted_at is null do nothing`
  return byKey(
    await sql<IdRow[]>`
      select id, name_key as key from music_singers where name_key = any(${[...wanted.keys()]}) and deleted_at is null`,
  )
}

/** Songs or albums that came from a file, by their id there; deleted ones too. */
export const findImported = async (
  sql: Db,
  table: 'music_songs' | 'music_specials',
  ids: string[],
): Promise<Map<string, { id: number; deleted: boolean }>> =>
  new Map(
    (
      await sql<{ id: number; key: string; deleted: boolean }[]>`
        select id, external_id as key, deleted_at is not null as deleted from ${sql(table)}
        where external_id = any(${ids})`
    ).map(({ key, ...rest }) => [key, rest]),
  )

export type ImportedSpecial = {
  id: string
  title: string
  intro: string | null
  sort: number
  createdAt: string | null
}

export async function insertSpecials(sql: Db, specials: ImportedSpecial[]): Promise<void> {
  if (specials.length === 0) return
  const column = <K extends keyof ImportedSpecial>(name: K) => specials.map((special) => special[name])
  await sql`
    with made as (
      insert into music_specials (external_id, title, title_key, title_grams, intro, sort, created_at, updated_at)
      select id, title, key, array(select jsonb_array_elements_text(grams::jsonb)), intro, sort,
        coalesce(created_at, now()), coalesce(created_at, now())
      from unnest(${column('id')}::text[], ${column('title')}::text[],
        ${specials.map(({ title }) => nameKey(title))}::text[],
        ${specials.map(({ title }) => JSON.stringify(grams(title)))}::text[], ${column('intro')}::text[],
        ${column('sort')}::int[], ${column('createdAt')}::timestamptz[]) with ordinality
        as s (id, title, key, grams, intro, sort, created_at, n)
      order by n on conflict do nothing returning id
    )
    insert into music_special_counts (special_id) select id from made`
}

export type ImportedSong = {
  id: string
  title: string
  singerId: number
  lastTime: number
  lyric: string | null
  sort: number
  createdAt: string | null
  plays: number
  shares: number
}

export async function insertSongs(sql: Db, songs: ImportedSong[]): Promise<void> {
  if (songs.length === 0) return
  const column = <K extends keyof ImportedSong>(name: K) => songs.map((song) => song[name])
  await sql`
    with given as (
      select * from unnest(${column('id')}::text[], ${column('title')}::text[],
        ${songs.map(({ title }) => nameKey(title))}::text[],
        ${songs.map(({ title }) => JSON.stringify(grams(title)))}::text[], ${column('singerId')}::bigint[],
        ${column('lastTime')}::int[], ${column('lyric')}::text[], ${column('sort')}::int[],
        ${column('createdAt')}::timestamptz[], ${column('plays')}::bigint[], ${column('shares')}::bigint[]) with ordinality
        as s (external_id, title, key, grams, singer_id, last_time, lyric, sort, created_at, plays, shares, n)
    ),
    made as (
      insert into music_songs (external_id, title, title_key, title_grams, singer_id, last_time, lyric, sort, created_at,
        updated_at)
      select external_id, title, key, array(select jsonb_array_elements_text(grams::jsonb)), singer_id, last_time, lyric, sort,
        coalesce(created_at, now()), coalesce(created_at, now())
      from given order by n on conflict do nothing returning id, external_id
    )
    insert into music_song_counts (song_id, taste_count, share_count)
    select m.id, g.plays, g.shares from made m join given g using (external_id)`
}

/** Puts songs on albums. */
export async function insertLinks(sql: Db, links: { specialId: number; songId: number }[]): Promise<void> {
  if (links.length === 0) return
  await sql`
    insert into music_special_songs (special_id, song_id)
    select * from unnest(${links.map(({ specialId }) => specialId)}::bigint[],
      ${links.map(({ songId }) => songId)}::bigint[]) on conflict do nothing`
}

/** Adds imported comments to the counters of their things. */
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

/** People by the key of their name. */
export const peopleByName = async (sql: Db, names: string[]): Promise<Map<string, number>> =>
  byKey(
    await sql<IdRow[]>`
      select id, name_key as key from users where name_key = any(${names.map(nameKey)}) and deleted_at is null`,
  )

const EXPORTED = 1000

/** Albums after an id, for export. */
export const exportSpecials = (sql: Db, after: number) => sql<
  { n: number; id: string; title: string; intro: string | null; sort: number; created_at: string }[]
>`
  select id as n, coalesce(external_id, 'special-' || id) as id, title, intro, sort, created_at from music_specials
  where id > ${after} and deleted_at is null order by music_specials.id limit ${EXPORTED}`

/** Songs after an id, for export. */
export const exportSongs = (sql: Db, after: number) => sql<
  {
    n: number
    id: string
    title: string
    singer: string
    last_time: number
    lyric: string | null
    sort: number
    specials: string[]
    taste_count: number
    share_count: number
    created_at: string
  }[]
>`
  select s.id as n, coalesce(s.external_id, 'song-' || s.id) as id, s.title, g.name as singer, s.last_time, s.lyric, s.sort,
    array(
      select coalesce(p.external_id, 'special-' || p.id) from music_special_songs l
      join music_specials p on p.id = l.special_id where l.song_id = s.id order by p.id
    ) as specials,
    c.taste_count, c.share_count, s.created_at
  from music_songs s join music_singers g on g.id = s.singer_id join music_song_counts c on c.song_id = s.id
  where s.id > ${after} and s.deleted_at is null order by s.id limit ${EXPORTED}`

/** Comments on songs and albums after an id, for export. */
export const exportComments = (sql: Db, after: number) => sql<
  { n: number; song: string | null; special: string | null; user: string; body: string; created_at: string }[]
>`
  select c.id as n, coalesce(s.external_id, 'song-' || s.id) as song, coalesce(p.external_id, 'special-' || p.id) as special,
    u.name as user, c.body, c.created_at
  from (
    select * from comments where id > ${after} and commentable_type in ('musics', 'music_specials')
    order by id limit ${EXPORTED}
  ) c
  join users u on u.id = c.user_id
  left join music_songs s on c.commentable_type = 'musics' and s.id = c.commentable_id
  left join music_specials p on c.commentable_type = 'music_specials' and p.id = c.commentable_id
  order by c.id`
