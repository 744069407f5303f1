import { grams, nameKey } from '#lib/text.ts'
import { isLiked } from '#modules/likes/index.ts'
import { purchasesOf } from '#modules/purchases/index.ts'
import { andContains, type Db, type Fragment, ifGiven, type Row, when } from '#platform/database'

export type SongRow = Row<
  'music_songs',
  | 'id'
  | 'title'
  | 'storage'
  | 'last_time'
  | 'lyric'
  | 'sort'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
  | 'singer_id'
> &
  Row<'music_song_counts', 'taste_count' | 'share_count' | 'comment_count'> & {
    has_like: boolean
  }

export type SongWithSinger = SongRow & {
  singer_name: string
  singer_cover: number | null
  singer_cover_size: string | null
  singer_created_at: string
  singer_updated_at: string
}

const columns = (sql: Db, viewerId: number) => sql`
  s.id, s.title, s.storage, s.last_time, s.lyric, s.sort, s.created_at, s.updated_at, s.deleted_at, s.singer_id,
  c.taste_count, c.share_count, c.comment_count,
  ${isLiked(sql, 'musics', sql`s.id`, viewerId)} as has_like`

const singerColumns = (sql: Db) => sql`
  g.name as singer_name, g.cover as singer_cover, g.cover_size as singer_cover_size,
  g.created_at as singer_created_at, g.updated_at as singer_updated_at`

export type SongPage = {
  q?: string | undefined
  ids?: number[] | undefined
  after?: number | undefined
  limit: number
  viewerId: number
}

/**
 * `offset 0` makes PostgreSQL look up the counts of each song. Otherwise a merge join reads the counts of all
 * newer songs.
 */
export const listSongs = (sql: Db, { q, ids, after = 0, limit, viewerId }: SongPage) => sql<SongRow[]>`
  select ${columns(sql, viewerId)} from music_songs s
  cross join lateral (select * from music_song_counts where song_id = s.id offset 0) c
  where s.deleted_at is null ${ifGiven(sql, ids, (list) => sql`and s.id = any(${list})`)}
    ${andContains(sql, 's.title', q)} ${when(sql, after > 0, () => sql`and s.id < ${after}`)}
  order by s.id desc limit ${limit}`

const withSingers = (sql: Db, viewerId: number, where: Fragment) => sql<SongWithSinger[]>`
  select ${columns(sql, viewerId)}, ${singerColumns(sql)}
  from music_songs s join music_song_counts c on c.song_id = s.id join music_singers g on g.id = s.singer_id
  where s.deleted_at is null and ${where} order by s.id desc`

export const findSongs = (sql: Db, ids: number[], viewerId: number) =>
  withSingers(sql, viewerId, sql`s.id = any(${ids})`)

export const findSong = async (sql: Db, id: number, viewerId: number) =>
  (await withSingers(sql, viewerId, sql`s.id = ${id}`))[0]

export const listBoughtSongs = (sql: Db, userId: number, before: number, limit: number) =>
  withSingers(
    sql,
    userId,
    sql`s.id in (
      select b.id from (${purchasesOf(sql, userId, 'file')}) p
      join music_songs b on b.storage = p.raw and b.deleted_at is null
      ${when(sql, before > 0, () => sql`where b.id < ${before}`)}
      order by b.id desc limit ${limit}
    )`,
  )

export const listSpecialSongs = (sql: Db, specialId: number, viewerId: number) =>
  withSingers(
    sql,
    viewerId,
    sql`s.id in (select song_id from music_special_songs where special_id = ${specialId})`,
  )

export const findSongTitle = async (sql: Db, id: number) =>
  (await sql<{ title: string }[]>`select title from music_songs where id = ${id} and deleted_at is null`)[0]
    ?.title

/** Selects a song unless it is deleted. Callers append a row lock. */
export const liveSong = (sql: Db, id: number): Fragment =>
  sql`select id from music_songs where id = ${id} and deleted_at is null`

export async function countShare(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`
    update music_song_counts set share_count = share_count + 1
    where song_id = (select id from music_songs where id = ${id} and deleted_at is null)`
  return rows.count > 0
}

export const addPlays = (sql: Db, ids: number[], counts: number[]) => sql`
  update music_song_counts c set taste_count = c.taste_count + v.n
  from unnest(${ids}::bigint[], ${counts}::bigint[]) as v (id, n) where c.song_id = v.id`

export type SongValues = {
  title: string
  singerId: number
  storage: number | null
  lastTime: number
  lyric: string | null
  sort: number
}

export async function insertSong(sql: Db, song: SongValues): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into music_songs (title, title_key, title_grams, singer_id, storage, last_time, lyric, sort)
      values (${song.title}, ${nameKey(song.title)}, ${grams(song.title)}, ${song.singerId}, ${song.storage},
        ${song.lastTime}, ${song.lyric}, ${song.sort})
      returning id
    ),
    counted as (insert into music_song_counts (song_id) select id from made)
    select id from made`
  return row.id
}

export async function updateSong(sql: Db, id: number, song: Partial<SongValues>): Promise<void> {
  const { title, singerId, storage, lastTime, lyric, sort } = song
  await sql`
    update music_songs set updated_at = now()
      ${ifGiven(sql, title, (value) => sql`, title = ${value}, title_key = ${nameKey(value)}, title_grams = ${grams(value)}`)}
      ${ifGiven(sql, singerId, (value) => sql`, singer_id = ${value}`)}
      ${ifGiven(sql, storage, (value) => sql`, storage = ${value}`)}
      ${ifGiven(sql, lastTime, (value) => sql`, last_time = ${value}`)}
      ${ifGiven(sql, lyric, (value) => sql`, lyric = ${value}`)}
      ${ifGiven(sql, sort, (value) => sql`, sort = ${value}`)}
    where id = ${id}`
}

/** Changes nothing if the song already has a duration, or another sound than the measured one. */
export const setLastTime = (sql: Db, of: { song: number; sound: number; seconds: number }) => sql`
  update music_songs set last_time = ${of.seconds}, updated_at = now()
  where id = ${of.song} and storage = ${of.sound} and last_time = 0`

export const replaceSpecials = (sql: Db, songId: number, specialIds: number[]) => sql`
  with gone as (
    delete from music_special_songs where song_id = ${songId} and special_id <> all(${specialIds}::bigint[])
  )
  insert into music_special_songs (special_id, song_id)
  select id, ${songId} from unnest(${specialIds}::bigint[]) as v (id) on conflict do nothing`

/**
 * Marks the song as deleted and removes it from its albums. The row stays, so that a repeated import does not create
 * the song again.
 */
export async function deleteSong(sql: Db, id: number): Promise<boolean> {
  const [row] = await sql<[{ gone: boolean }]>`
    with gone as (
      update music_songs set deleted_at = now(), updated_at = now() where id = ${id} and deleted_at is null
      returning id
    ),
    counts as (update music_song_counts set comment_count = 0 where song_id in (select id from gone)),
    links as (delete from music_special_songs where song_id in (select id from gone))
    select exists (select from gone) as gone`
  return row.gone
}
