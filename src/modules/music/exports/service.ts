import { exactTime } from '#lib/time.ts'
import { createRoster } from '#modules/accounts/index.ts'
import { exportComments } from '#modules/comments/index.ts'
import { createFileList } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import { type Exported, pages, withoutNulls } from '#platform/export-lines.ts'
import { exportedKeys, exportSingers, exportSongs, exportSpecials } from './queries.ts'

const times = (row: { created_at: string; updated_at: string }) => ({
  created_at: exactTime(row.created_at),
  updated_at: exactTime(row.updated_at),
})

/** All music in the form that can be imported, a batch at a time. */
export async function* exportMusic(sql: Db): AsyncGenerator<Exported> {
  for await (const rows of pages((after) => exportSingers(sql, after))) {
    const files = await createFileList(sql, rows, 'cover')
    yield {
      lines: rows.map((row) =>
        withoutNulls({ kind: 'singer', name: row.name, cover: files.name(row.cover), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  for await (const rows of pages((after) => exportSpecials(sql, after))) {
    const files = await createFileList(sql, rows, 'storage')
    yield {
      lines: rows.map(({ id: _, key, storage, ...row }) =>
        withoutNulls({ kind: 'special', id: key, ...row, cover: files.name(storage), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  for await (const rows of pages((after) => exportSongs(sql, after))) {
    const files = await createFileList(sql, rows, 'storage')
    yield {
      lines: rows.map(({ id: _, key, storage, ...row }) =>
        withoutNulls({ kind: 'song', id: key, ...row, file: files.name(storage), ...times(row) }),
      ),
      files: files.sources,
    }
  }
  const roster = createRoster(sql)
  for await (const rows of pages((after) => exportComments(sql, ['musics', 'music_specials'], after))) {
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
