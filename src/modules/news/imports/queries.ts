import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'

type IdRow = { id: number; key: string }
const byKey = (rows: readonly IdRow[]) => new Map(rows.map(({ id, key }) => [key, id]))
const byNames = (names: string[]) =>
  [...new Map(names.map((name) => [nameKey(name), name]))].sort(([a], [b]) => (a < b ? -1 : 1))

/** Categories by the key of their name; those that are unknown are made. */
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

/** Sets the rank of categories, which are made where they are unknown. */
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

/** Tags by the key of their name. */
export const tagsByName = async (sql: Db, names: string[]): Promise<Map<string, number>> =>
  byKey(await sql<IdRow[]>`select id, name_key as key from tags where name_key = any(${names.map(nameKey)})`)

/** People by the key of their name. */
export const peopleByName = async (sql: Db, names: string[]): Promise<Map<string, number>> =>
  byKey(
    await sql<IdRow[]>`
      select id, name_key as key from users where name_key = any(${names.map(nameKey)}) and deleted_at is null`,
  )

/** Articles that came from a file, by their id there. */
export const findImported = async (
  sql: Db,
  ids: string[],
): Promise<Map<string, { id: number; userId: number; published: boolean }>> =>
  new Map(
    (
      await sql<{ id: number; key: string; user_id: number; published: boolean }[]>`
        select id, external_id as key, user_id, audit_status = 0 as published from news where external_id = any(${ids})`
    ).map(({ key, id, user_id: userId, published }) => [key, { id, userId, published }]),
  )

export type ImportedNews = {
  id: string
  title: string
  subject: string
  subjectGiven: boolean
  content: string
  from: string | null
  author: string | null
  userId: number
  categoryId: number
  recommended: boolean
  hits: number
  createdAt: string | null
}

/** Publishes articles; answers the ids in the file of those that were not there yet. */
export async function insertImported(sql: Db, news: ImportedNews[]): Promise<Set<string>> {
  if (news.length === 0) return new Set()
  const column = <K extends keyof ImportedNews>(name: K) => news.map((each) => each[name])
  const made = await sql<{ external_id: string }[]>`
    with given as (
      select * from unnest(${column('id')}::text[], ${column('title')}::text[],
        ${news.map(({ title }) => nameKey(title))}::text[], ${news.map(({ title }) => JSON.stringify(grams(title)))}::text[],
        ${column('subject')}::text[], ${column('subjectGiven').map(String)}::text[], ${column('content')}::text[],
        ${column('from')}::text[], ${column('author')}::text[], ${column('userId')}::bigint[],
        ${column('categoryId')}::bigint[], ${column('recommended').map(String)}::text[], ${column('hits')}::bigint[],
        ${column('createdAt')}::timestamptz[]) with ordinality
        as s (external_id, title, key, grams, subject, given, content, source, author, user_id, category_id, recommended, hits,
          created_at, n)
    ),
    made as (
      insert into news (external_id, title, title_key, title_grams, subject, subject_given, content, "from", author,
        user_id, category_id, audit_status, recommended_at, published_at, created_at, updated_at)
      select external_id, title, key, array(select jsonb_array_elements_text(grams::jsonb)), subject, given::bool, content, source,
        author, user_id, category_id, 0, case when recommended::bool then now() end, coalesce(created_at, now()),
        coalesce(created_at, now()), coalesce(created_at, now())
      from given order by n on conflict do nothing returning id, external_id
    ),
    counted as (
      insert into news_counts (news_id, hits) select m.id, g.hits from made m join given g using (external_id)
    )
    select external_id from made`
  return new Set(made.map((row) => row.external_id))
}

/** Gives articles tags. */
export async function insertTags(sql: Db, links: { newsId: number; tagId: number }[]): Promise<void> {
  if (links.length === 0) return
  await sql`
    insert into news_tags (news_id, tag_id)
    select * from unnest(${links.map(({ newsId }) => newsId)}::bigint[], ${links.map(({ tagId }) => tagId)}::bigint[])
    on conflict do nothing`
}

/** Adds imported comments to the counters of their articles. */
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

const EXPORTED = 500

/** Published articles after an id, for export. */
export const exportNews = (sql: Db, after: number) => sql<
  {
    n: number
    id: string
    title: string
    subject: string | null
    content: string
    from: string | null
    author: string | null
    user: string
    category: string
    tags: string[]
    recommend: boolean
    hits: number
    created_at: string
  }[]
>`
  select n.id as n, coalesce(n.external_id, 'news-' || n.id) as id, n.title,
    case when n.subject_given then n.subject end as subject, n.content, n."from", n.author, u.name as user,
    g.name as category,
    array(select t.name from news_tags l join tags t on t.id = l.tag_id where l.news_id = n.id order by t.id) as tags,
    n.recommended_at is not null as recommend, c.hits, n.created_at
  from news n join news_categories g on g.id = n.category_id join users u on u.id = n.user_id
  join news_counts c on c.news_id = n.id
  where n.id > ${after} and n.audit_status = 0 order by n.id limit ${EXPORTED}`

/** Comments on published articles after an id, for export. */
export const exportComments = (sql: Db, after: number) => sql<
  { n: number; news: string; user: string; body: string; created_at: string }[]
>`
  select c.id as n, coalesce(n.external_id, 'news-' || n.id) as news, u.name as user, c.body, c.created_at
  from (
    select c.* from comments c join news n on n.id = c.commentable_id and n.audit_status = 0
    where c.id > ${after} and c.commentable_type = 'news' order by c.id limit ${EXPORTED}
  ) c
  join news n on n.id = c.commentable_id join users u on u.id = c.user_id
  order by c.id`
