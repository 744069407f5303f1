import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database'
import { rowsByKey } from '#transfer/row-keys.ts'

type IdRow = { id: number; key: string }
const byKey = (rows: readonly IdRow[]) => new Map(rows.map(({ id, key }) => [key, id]))
const byNames = (names: string[]) =>
  [...new Map(names.map((name) => [nameKey(name), name]))].sort(([a], [b]) => (a < b ? -1 : 1))

export async function categoriesByName(sql: Db, names: string[]): Promise<Map<string, number>> {
  const entries = byNames(names)
  if (entries.length === 0) return new Map()
  const keys = entries.map(([key]) => key)
  await sql`
    insert into news_categories (name, name_key)
    select * from unnest(${entries.map(([, name]) => name)}::text[], ${keys}::text[]) on conflict do nothing`
  return byKey(
    await sql<IdRow[]>`select id, name_key as key from news_categories where name_key = any(${keys})`,
  )
}

export async function upsertCategories(sql: Db, categories: { name: string; rank: number }[]): Promise<void> {
  const ranks = new Map(categories.map(({ name, rank }) => [nameKey(name), rank]))
  const entries = byNames(categories.map(({ name }) => name))
  if (entries.length === 0) return
  await sql`
    insert into news_categories as c (name, name_key, rank)
    select * from unnest(${entries.map(([, name]) => name)}::text[], ${entries.map(([key]) => key)}::text[],
      ${entries.map(([key]) => ranks.get(key) ?? 0)}::int[])
    on conflict (name_key) do update set rank = excluded.rank where c.rank <> excluded.rank`
}

export type EarlierNews = { id: number; userId: number; published: boolean }

export async function findImported(sql: Db, keys: string[]): Promise<Map<string, EarlierNews>> {
  if (keys.length === 0) return new Map()
  const rows = await sql<{ id: number; key: string; user_id: number; published: boolean }[]>`
    select k.key, n.id, n.user_id, n.audit_status = 0 as published
    from (${rowsByKey(sql, 'news', [...new Set(keys)])}) k join news n on n.id = k.id`
  return new Map(rows.map(({ key, id, user_id: userId, published }) => [key, { id, userId, published }]))
}

export type ImportedNews = {
  key: string
  title: string
  subject: string
  subjectGiven: boolean
  content: string
  from: string | null
  author: string | null
  userId: number
  categoryId: number
  image: number | null
  imageSize: string | null
  recommended: boolean
  hits: number
  createdAt: string | null
  updatedAt: string | null
  publishedAt: string | null
}

export async function insertImported(sql: Db, news: ImportedNews[]): Promise<Map<string, number>> {
  if (news.length === 0) return new Map()
  const column = <K extends keyof ImportedNews>(name: K) => news.map((each) => each[name])
  return byKey(
    await sql<IdRow[]>`
      with given as (
        select * from unnest(${column('key')}::text[], ${column('title')}::text[],
          ${news.map(({ title }) => nameKey(title))}::text[],
          ${news.map(({ title }) => JSON.stringify(grams(title)))}::text[], ${column('subject')}::text[],
          ${column('subjectGiven').map(String)}::text[], ${column('content')}::text[], ${column('from')}::text[],
          ${column('author')}::text[], ${column('userId')}::bigint[], ${column('categoryId')}::bigint[],
          ${column('image')}::bigint[], ${column('imageSize')}::text[], ${column('recommended').map(String)}::text[],
          ${column('hits')}::bigint[], ${column('createdAt')}::timestamptz[], ${column('updatedAt')}::timestamptz[],
          ${column('publishedAt')}::timestamptz[]) with ordinality
          as s (key, title, title_key, grams, subject, given, content, source, author, user_id, category_id, image, size,
            recommended, hits, created_at, updated_at, published_at, n)
      ),
      made as (
        insert into news (external_id, title, title_key, title_grams, subject, subject_given, content, "from", author,
          user_id, category_id, image, image_size, audit_status, recommended_at, published_at, created_at, updated_at)
        select key, title, title_key, array(select jsonb_array_elements_text(grams::jsonb)), subject, given::bool, content,
          source, author, user_id, category_id, image, size, 0, case when recommended::bool then now() end,
          coalesce(published_at, created_at, now()), coalesce(created_at, now()), coalesce(updated_at, created_at, now())
        from given order by n on conflict do nothing returning id, external_id
      ),
      counted as (
        insert into news_counts (news_id, hits) select m.id, g.hits from made m join given g on g.key = m.external_id
      )
      select id, external_id as key from made`,
  )
}

export async function insertTags(sql: Db, links: { newsId: number; tagId: number }[]): Promise<void> {
  if (links.length === 0) return
  await sql`
    insert into news_tags (news_id, tag_id)
    select * from unnest(${links.map(({ newsId }) => newsId)}::bigint[], ${links.map(({ tagId }) => tagId)}::bigint[])
    on conflict do nothing`
}

export async function countImported(sql: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    with wanted as (select id, count(*) as n from unnest(${ids}::bigint[]) as v (id) group by id),
    counts as (
      select c.news_id as id, w.n from news_counts c join wanted w on w.id = c.news_id
      order by c.news_id for no key update of c
    )
    update news_counts c set comment_count = c.comment_count + n.n from counts n where c.news_id = n.id`
}
