import type { Counts } from '#contracts/content.ts'
import type { CounterCheck } from '#contracts/counters.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import { isCollected } from '#modules/collections/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { isLiked, likesRecount } from '#modules/likes/index.ts'
import { nameOf, noBlockBetween, shownTo } from '#modules/users/index.ts'
import { type Db, type Fragment, ifGiven, type Row, type Tables, when } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'

export type NewsRow = Row<
  'news',
  | 'id'
  | 'title'
  | 'subject'
  | 'from'
  | 'user_id'
  | 'category_id'
  | 'image'
  | 'image_size'
  | 'audit_status'
  | 'audit_count'
  | 'mark'
  | 'contribute_amount'
  | 'created_at'
  | 'updated_at'
> &
  Row<'news_counts', 'digg_count' | 'comment_count' | 'hits'> & {
    category_name: Tables['news_categories']['name']
    category_rank: Tables['news_categories']['rank']
    author: string
    recommended: boolean
    has_collect: boolean
    has_like: boolean
  }
export type NewsDetailRow = NewsRow & { content: string; tags: { id: number; name: string }[] }

const tagsOf = (sql: Db): Fragment => sql`coalesce((
  select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.weight desc, t.id)
  from news_tags l join tags t on t.id = l.tag_id where l.news_id = n.id
), '[]')`

/** Stored author name, or else the name of the user who wrote the article, or `-` if that user is deleted (news-23). */
const authorName = (sql: Db): Fragment =>
  sql`coalesce(nullif(n.author, ''), (${nameOf(sql, sql`n.user_id`)}), '-')`

const columns = (sql: Db, viewerId: number) => sql`
  n.id, n.title, n.subject, n."from", ${authorName(sql)} as author, n.user_id, n.category_id, g.name as category_name,
  n.contribute_amount,
  g.rank as category_rank, n.image, n.image_size, n.recommended_at is not null as recommended,
  c.digg_count, c.comment_count, c.hits, n.audit_status, n.audit_count, n.mark, n.created_at, n.updated_at,
  ${isCollected(sql, 'news', sql`n.id`, viewerId)} as has_collect, ${isLiked(sql, 'news', sql`n.id`, viewerId)} as has_like`

// `offset 0` makes PostgreSQL look up the counts of each article. Otherwise a merge join reads the counts of
// all newer articles.
const tables = (sql: Db) => sql`
  news n cross join lateral (select * from news_counts where news_id = n.id offset 0) c
  join news_categories g on g.id = n.category_id`

export const titleContains = (sql: Db, part: string | undefined) => {
  const key = nameKey(part ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and n.title_grams @> ${gramsOfQuery(key)} and n.title_key like ${`%${escapeLike(key)}%`}`,
  )
}

export type NewsPage = {
  ids?: number[] | undefined
  recommended?: boolean | undefined
  categoryId?: number | undefined
  key?: string | undefined
  after?: number | undefined
  limit: number
  viewerId: number
}

export function listNews(sql: Db, page: NewsPage) {
  const { ids, recommended, categoryId, key, after = 0, limit, viewerId } = page
  return sql<NewsRow[]>`
    select ${columns(sql, viewerId)} from ${tables(sql)}
    where n.audit_status = 0 ${ifGiven(sql, ids, (value) => sql`and n.id = any(${value})`)}
      ${when(sql, recommended === true, () => sql`and n.recommended_at is not null`)}
      ${ifGiven(sql, categoryId, (value) => sql`and n.category_id = ${value}`)} ${titleContains(sql, key)}
      ${when(sql, after > 0, () => sql`and n.id < ${after}`)} ${shownTo(sql, viewerId, sql`n.user_id`)}
    order by n.id desc limit ${limit}`
}

export const findPublished = (sql: Db, ids: number[], viewerId: number) => sql<NewsRow[]>`
  select ${columns(sql, viewerId)} from ${tables(sql)}
  where n.id = any(${ids}) and n.audit_status = 0 ${noBlockBetween(sql, viewerId, sql`n.user_id`)} order by n.id desc`

/** Condition on collection `c` that omits articles of people hidden from the user (relations-2). */
export const seenNews = (sql: Db, userId: number): Fragment =>
  noBlockBetween(sql, userId, sql`(select n.user_id from news n where n.id = c.collectible_id)`)

export const listNewsOf = (
  sql: Db,
  page: { userId: number; status: number | undefined; after: number; limit: number; viewerId: number },
) => sql<NewsDetailRow[]>`
  select ${columns(sql, page.viewerId)}, n.content, ${tagsOf(sql)} as tags from ${tables(sql)}
  where n.user_id = ${page.userId} ${noBlockBetween(sql, page.viewerId, sql`n.user_id`)}
    ${page.status === undefined ? sql`and n.audit_status <> 4` : sql`and n.audit_status = ${page.status}`}
    ${when(sql, page.after > 0, () => sql`and n.id < ${page.after}`)}
  order by n.id desc limit ${page.limit}`

export async function findNews(sql: Db, id: number, viewerId: number): Promise<NewsDetailRow | undefined> {
  const [row] = await sql<NewsDetailRow[]>`
    select ${columns(sql, viewerId)}, n.content, ${tagsOf(sql)} as tags
    from ${tables(sql)} where n.id = ${id}`
  return row
}

export const findVisible = (sql: Db, ids: number[], viewerId: number) => sql<{ id: number }[]>`
  select id from news
  where id = any(${ids}) and (audit_status = 0 or (user_id = ${viewerId} and audit_status <> 4))`

export const findTarget = async (sql: Db, id: number) =>
  (
    await sql<{ id: number; user_id: number; title: string }[]>`
      select id, user_id, title from news where id = ${id} and audit_status = 0`
  )[0]

/** Selects a published article. Callers append a row lock. */
export const liveNews = (sql: Db, id: number): Fragment =>
  sql`select id from news where id = ${id} and audit_status = 0`

export const listAlike = (sql: Db, id: number, limit: number) => sql<{ id: number }[]>`
  select distinct found.news_id as id
  from news_tags mine cross join lateral (
    select l.news_id from news_tags l join news n on n.id = l.news_id and n.audit_status = 0
    where l.tag_id = mine.tag_id and l.news_id <> ${id} order by l.news_id desc limit ${limit}
  ) as found
  where mine.news_id = ${id} order by id desc limit ${limit}`

export const listLatest = (sql: Db, limit: number) => sql<{ id: number }[]>`
  select id from news where audit_status = 0 order by id desc limit ${limit}`

const addHits = (sql: Db, ids: number[], counts: number[]) => sql`
  update news_counts c set hits = c.hits + v.n
  from unnest(${ids}::bigint[], ${counts}::bigint[]) as v (id, n) where c.news_id = v.id`

export type NewsRecord = Row<
  'news',
  | 'id'
  | 'title'
  | 'content'
  | 'user_id'
  | 'category_id'
  | 'image'
  | 'audit_status'
  | 'audit_count'
  | 'contribute_amount'
> & { fee_state: 'none' | 'escrow' | 'income' | 'refunded' }

export async function findRecord(
  sql: Db,
  id: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<NewsRecord | undefined> {
  const [row] = await sql<NewsRecord[]>`
    select id, title, content, user_id, category_id, image, audit_status, audit_count, contribute_amount, fee_state
    from news where id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

export type NewsValues = {
  title: string
  subject: { text: string; given: boolean }
  content: string
  from: string | null
  author: string | null
  categoryId: number
  image: { id: number | null; size: string | null }
}

export async function insertNews(
  sql: Db,
  news: NewsValues & { userId: number; status: number; fee: number },
): Promise<number> {
  const { title, subject, content, from, author, userId, categoryId, image, status, fee } = news
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into news (title, title_key, title_grams, subject, subject_given, content, "from", author, user_id,
        category_id, image, image_size, audit_status, contribute_amount, fee_state, published_at)
      values (${title}, ${nameKey(title)}, ${grams(title)}, ${subject.text}, ${subject.given}, ${content}, ${from},
        ${author}, ${userId}, ${categoryId}, ${image.id}, ${image.size}, ${status}, ${fee},
        ${fee > 0 ? 'escrow' : 'none'}, ${status === 0 ? sql`now()` : null})
      returning id
    ),
    counted as (insert into news_counts (news_id) select id from made)
    select id from made`
  return row.id
}

/**
 * Updates the given fields of an article. If the author wrote no subject, stores the excerpt `derived` as the
 * subject.
 */
export async function updateNews(
  sql: Db,
  id: number,
  news: Partial<NewsValues> & { derived?: string },
): Promise<void> {
  const { title, subject, content, from, author, categoryId, image, derived } = news
  await sql`
    update news set updated_at = now()
      ${ifGiven(
        sql,
        title,
        (value) => sql`, title = ${value}, title_key = ${nameKey(value)}, title_grams = ${grams(value)}`,
      )}
      ${ifGiven(sql, subject, ({ text, given }) => sql`, subject = ${text}, subject_given = ${given}`)}
      ${ifGiven(
        sql,
        subject ? undefined : derived,
        (value) => sql`, subject = case when subject_given then subject else ${value} end`,
      )}
      ${ifGiven(sql, content, (value) => sql`, content = ${value}`)}
      ${ifGiven(sql, from, (value) => sql`, "from" = ${value}`)}
      ${ifGiven(sql, author, (value) => sql`, author = ${value}`)}
      ${ifGiven(sql, categoryId, (value) => sql`, category_id = ${value}`)}
      ${ifGiven(sql, image, ({ id: imageId, size }) => sql`, image = ${imageId}, image_size = ${size}`)}
    where id = ${id}`
}

/** Replaces the tags of an article. Returns how many of the given tags exist. */
export async function replaceTags(sql: Db, id: number, tagIds: number[]): Promise<number> {
  const [row] = await sql<[{ known: number }]>`
    with wanted as (select t.id from tags t where t.id = any(${tagIds}::bigint[]) order by t.id for key share),
    gone as (delete from news_tags where news_id = ${id} and tag_id <> all(${tagIds}::bigint[])),
    added as (insert into news_tags (news_id, tag_id) select ${id}, id from wanted on conflict do nothing)
    select count(*)::int as known from wanted`
  return row.known
}

export const setStatus = (
  sql: Db,
  id: number,
  change: { status: number; rejected?: boolean; mark?: string | null; feeState?: NewsRecord['fee_state'] },
) => sql`
  update news set audit_status = ${change.status}, updated_at = now()
    ${when(sql, change.status === 0, () => sql`, published_at = coalesce(published_at, now())`)}
    ${when(sql, change.rejected === true, () => sql`, audit_count = audit_count + 1`)}
    ${ifGiven(sql, change.mark, (value) => sql`, mark = ${value}`)}
    ${ifGiven(sql, change.feeState, (value) => sql`, fee_state = ${value}`)}
  where id = ${id}`

export const setRecommended = (sql: Db, id: number, on: boolean) => sql`
  update news set recommended_at = ${on ? sql`coalesce(recommended_at, now())` : sql`null`} where id = ${id}`

export const deleteNews = (sql: Db, id: number) => sql`delete from news where id = ${id}`

export const hitsOf = defineBufferedCounts('hits', addHits)

export const countNewsComments: Counts = (sql) => [
  sql`update news_counts n set comment_count = greatest(n.comment_count + c.by, 0) from changed c where n.news_id = c.id`,
]
export const countNewsLikes: Counts = (sql) => [
  sql`update news_counts n set digg_count = greatest(n.digg_count + c.by, 0) from changed c where n.news_id = c.id`,
]

/** Checks of news counters for `kith doctor`. Views have no check, because single views are not stored. */
export const newsCounters: CounterCheck[] = [
  commentsRecount('news', { table: 'news_counts', key: 'news_id', column: 'comment_count' }),
  likesRecount('news', { table: 'news_counts', key: 'news_id', column: 'digg_count' }),
]

/** Inserts a deletion request of the author unless one is pending. */
export const askForDeletion = (sql: Db, news: { id: number; userId: number; title: string }) => sql`
  insert into news_deletions (news_id, user_id, title) values (${news.id}, ${news.userId}, ${news.title})
  on conflict do nothing`

export type NewsDeletionRow = Tables['news_deletions'] & {
  state: 'pending' | 'accepted' | 'rejected' | 'cancelled'
}

export async function decideDeletion(
  sql: Db,
  id: number,
  decision: { state: 'accepted' | 'rejected'; mark: string | null; by: number },
): Promise<NewsDeletionRow | undefined> {
  const [row] = await sql<NewsDeletionRow[]>`
    update news_deletions set state = ${decision.state}, mark = ${decision.mark}, decided_by = ${decision.by},
      decided_at = now()
    where id = ${id} and state = 'pending' returning *`
  return row
}

export const cancelDeletions = (sql: Db, newsId: number) => sql`
  update news_deletions set state = 'cancelled', decided_at = now() where news_id = ${newsId} and state = 'pending'`
