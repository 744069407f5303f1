import type { Db } from '#platform/database.ts'
import { rowKey } from '#platform/row-keys.ts'

const EXPORTED = 500

/** The tags that published articles have. */
export const exportTags = (sql: Db) => sql<{ name: string; category: string; weight: number }[]>`
  select t.name, c.name as category, t.weight from tags t join tag_categories c on c.id = t.tag_category_id
  where exists (
    select from news_tags l join news n on n.id = l.news_id and n.audit_status = 0 where l.tag_id = t.id
  )
  order by t.id`

/** Published articles after an id, for an export. */
export const exportNews = (sql: Db, after: number) => sql<
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

/** The ids in an export of published articles. */
export async function exportedKeys(sql: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; key: string }[]>`
    select n.id, ${rowKey(sql, 'n')} as key from news n where n.id = any(${ids}) and n.audit_status = 0`
  return new Map(rows.map(({ id, key }) => [id, key]))
}
