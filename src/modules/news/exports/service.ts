import { exactTime } from '#lib/time.ts'
import { createUserLines } from '#modules/accounts/index.ts'
import { exportComments } from '#modules/comments/index.ts'
import { createFileList, listAttached } from '#modules/files/index.ts'
import type { Db } from '#platform/database'
import { type ExportBatch, readPages, withoutNulls } from '#transfer/export-lines.ts'
import { rowKey } from '#transfer/row-keys.ts'
import { listCategories } from '../categories.ts'

const EXPORTED = 500

const exportTags = (sql: Db) => sql<{ name: string; category: string; weight: number }[]>`
  select t.name, c.name as category, t.weight from tags t join tag_categories c on c.id = t.tag_category_id
  where exists (
    select from news_tags l join news n on n.id = l.news_id and n.audit_status = 0 where l.tag_id = t.id
  )
  order by t.id`

const exportNews = (sql: Db, after: number) => sql<
  {
    id: number
    key: string
    title: string
    subject: string | null
    content: string
    from: string | null
    author: string | null
    user_id: number
    category: string
    tags: string[]
    image: number | null
    recommend: boolean
    hits: number
    created_at: string
    updated_at: string
    published_at: string
  }[]
>`
  select n.id, ${rowKey(sql, 'n')} as key, n.title, case when n.subject_given then n.subject end as subject, n.content,
    n."from", n.author, n.user_id, g.name as category,
    array(select t.name from news_tags l join tags t on t.id = l.tag_id where l.news_id = n.id order by t.id) as tags,
    n.image, n.recommended_at is not null as recommend, c.hits, n.created_at, n.updated_at, n.published_at
  from news n join news_categories g on g.id = n.category_id join news_counts c on c.news_id = n.id
  where n.id > ${after} and n.audit_status = 0 order by n.id limit ${EXPORTED}`

async function exportedKeys(sql: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; key: string }[]>`
    select n.id, ${rowKey(sql, 'n')} as key from news n where n.id = any(${ids}) and n.audit_status = 0`
  return new Map(rows.map(({ id, key }) => [id, key]))
}

export async function* exportAllNews(sql: Db): AsyncGenerator<ExportBatch> {
  const categories = (await listCategories(sql)).map(({ name, rank }) => ({ kind: 'category', name, rank }))
  const tags = (await exportTags(sql)).map((tag) => ({ kind: 'tag', ...tag }))
  yield { lines: [...categories, ...tags], files: [] }
  const roster = createUserLines(sql)
  for await (const rows of readPages((after) => exportNews(sql, after))) {
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
  for await (const rows of readPages((after) => exportComments(sql, ['news'], after))) {
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
