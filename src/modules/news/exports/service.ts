import { exactTime } from '#lib/time.ts'
import { createRoster } from '#modules/accounts/index.ts'
import { exportComments } from '#modules/comments/index.ts'
import { createFileList, listAttached } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import { type Exported, pages, withoutNulls } from '#platform/export-lines.ts'
import { listCategories } from '../categories/queries.ts'
import { exportedKeys, exportNews, exportTags } from './queries.ts'

/** All published news in the form that can be imported, a batch at a time. */
export async function* exportAllNews(sql: Db): AsyncGenerator<Exported> {
  const categories = (await listCategories(sql)).map(({ name, rank }) => ({ kind: 'category', name, rank }))
  const tags = (await exportTags(sql)).map((tag) => ({ kind: 'tag', ...tag }))
  yield { lines: [...categories, ...tags], files: [] }
  const roster = createRoster(sql)
  for await (const rows of pages((after) => exportNews(sql, after))) {
    const uses = await listAttached(
      sql,
      'news:content',
      rows.map(({ id }) => id),
    )
    const [people, images, shown] = await Promise.all([
      roster.introduce(rows.map((row) => row.user_id)),
      createFileList(sql, rows, 'image'),
      createFileList(sql, uses, 'id'),
    ])
    const filesOf = Map.groupBy(uses, ({ raw }) => raw)
    const articles = rows.map(({ id, key, image, user_id: userId, ...row }) => {
      const files = (filesOf.get(id) ?? []).map((use) => ({ id: use.id, path: shown.name(use.id) }))
      return withoutNulls({
        kind: 'article',
        id: key,
        ...row,
        user: roster.name(userId),
        image: images.name(image),
        files: files.length > 0 ? files : null,
        created_at: exactTime(row.created_at),
        updated_at: exactTime(row.updated_at),
        published_at: exactTime(row.published_at),
      })
    })
    yield { lines: [...people, ...articles], files: [...images.sources, ...shown.sources] }
  }
  for await (const rows of pages((after) => exportComments(sql, ['news'], after))) {
    const [people, news] = await Promise.all([
      roster.introduce(rows.flatMap((row) => [row.user_id, row.reply_user])),
      exportedKeys(
        sql,
        rows.map((row) => row.commentable_id),
      ),
    ])
    const comments = rows.flatMap((row) => {
      const article = news.get(row.commentable_id)
      if (article === undefined) return []
      return withoutNulls({
        kind: 'comment',
        id: row.key,
        news: article,
        user: roster.name(row.user_id),
        reply: roster.name(row.reply_user) || null,
        body: row.body,
        created_at: exactTime(row.created_at),
      })
    })
    yield { lines: [...people, ...comments], files: [] }
  }
}
