import type { ContentReader } from '#contracts/content.ts'
import type { CounterCheck } from '#contracts/counters.ts'
import { exactTime } from '#lib/time.ts'
import { createUserLines } from '#modules/accounts/index.ts'
import { collectionsRecount } from '#modules/collections/index.ts'
import { commentsRecount, exportComments } from '#modules/comments/index.ts'
import { createFileList } from '#modules/files/index.ts'
import type { Db } from '#platform/database'
import { type ExportBatch, readPages, withoutNulls } from '#transfer/export-lines.ts'
import { rowKey } from '#transfer/row-keys.ts'
import { findSongs } from './songs/queries.ts'
import { songContent, songViews } from './songs/service.ts'
import { listSpecials, specialContent, specialViews } from './specials/service.ts'

const EXPORTED = 1000

const exportSingers = (sql: Db, after: number) => sql<
  { id: number; name: string; cover: number | null; created_at: string; updated_at: string }[]
>`
  select id, name, cover, created_at, updated_at from music_singers
  where id > ${after} and deleted_at is null order by id limit ${EXPORTED}`

const exportSpecials = (sql: Db, after: number) => sql<
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

const exportSongs = (sql: Db, after: number) => sql<
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

async function exportedKeys(
  sql: Db,
  table: 'music_songs' | 'music_specials',
  ids: number[],
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; key: string }[]>`
    select t.id, ${rowKey(sql, 't')} as key from ${sql(table)} t where t.id = any(${ids}) and t.deleted_at is null`
  return new Map(rows.map(({ id, key }) => [id, key]))
}

const times = (row: { created_at: string; updated_at: string }) => ({
  created_at: exactTime(row.created_at),
  updated_at: exactTime(row.updated_at),
})

export async function* exportMusic(sql: Db): AsyncGenerator<ExportBatch> {
  for await (const rows of readPages((after) => exportSingers(sql, after))) {
    const files = await createFileList(sql, rows, 'cover')
    yield {
      lines: rows.map((row) =>
        withoutNulls({ kind: 'singer', name: row.name, cover: files.name(row.cover), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  for await (const rows of readPages((after) => exportSpecials(sql, after))) {
    const files = await createFileList(sql, rows, 'storage')
    yield {
      lines: rows.map(({ id: _, key, storage, ...row }) =>
        withoutNulls({ kind: 'special', id: key, ...row, cover: files.name(storage), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  for await (const rows of readPages((after) => exportSongs(sql, after))) {
    const files = await createFileList(sql, rows, 'storage')
    yield {
      lines: rows.map(({ id: _, key, storage, ...row }) =>
        withoutNulls({ kind: 'song', id: key, ...row, file: files.name(storage), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  const roster = createUserLines(sql)
  for await (const rows of readPages((after) => exportComments(sql, ['musics', 'music_specials'], after))) {
    const idsOf = (type: string) =>
      rows.flatMap((row) => (row.commentable_type === type ? row.commentable_id : []))
    const [people, songs, specials] = await Promise.all([
      roster.introduce(rows.flatMap((row) => [row.user_id, row.reply_user])),
      exportedKeys(sql, 'music_songs', idsOf('musics')),
      exportedKeys(sql, 'music_specials', idsOf('music_specials')),
    ])
    const comments = rows.flatMap((row) => {
      const isSong = row.commentable_type === 'musics'
      const content = (isSong ? songs : specials).get(row.commentable_id)
      if (content === undefined) return []
      return withoutNulls({
        kind: 'comment',
        id: row.key,
        [isSong ? 'song' : 'special']: content,
        user: roster.name(row.user_id),
        reply: roster.name(row.reply_user) || null,
        body: row.body,
        created_at: exactTime(row.created_at),
      })
    })
    yield { lines: [...people, ...comments], files: [] }
  }
}

export const songReader: ContentReader = {
  open: true,
  async visible(sql, ids) {
    return new Set((await findSongs(sql, ids, 0)).map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    const views = await songViews(ctx, await findSongs(ctx.sql, ids, viewerId), viewerId)
    return new Map(views.map((view) => [view.id, view]))
  },
}

export const specialReader: ContentReader = {
  open: true,
  async visible(sql, ids) {
    const rows = await listSpecials(sql, { ids, limit: ids.length, viewerId: 0 })
    return new Set(rows.map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    const rows = await listSpecials(ctx.sql, { ids, limit: ids.length, viewerId })
    return new Map((await specialViews(ctx, rows, viewerId)).map((view) => [view.id, view]))
  },
}

/**
 * Checks of music counters for `kith doctor`. Plays and shares have no check, because only their totals are
 * stored.
 */
export const musicCounters: CounterCheck[] = [
  commentsRecount(songContent.type, { table: 'music_song_counts', key: 'song_id', column: 'comment_count' }),
  commentsRecount(specialContent.type, {
    table: 'music_special_counts',
    key: 'special_id',
    column: 'comment_count',
  }),
  collectionsRecount(specialContent.type, {
    table: 'music_special_counts',
    key: 'special_id',
    column: 'collect_count',
  }),
]
