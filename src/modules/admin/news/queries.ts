import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { CategoryQuery, DeletionQuery, NewsQuery } from './schema.ts'

export type CategoryRow = {
  id: number
  name: string
  rank: number
  news_count: number
  created_at: string
  updated_at: string
}
export type NewsRow = {
  id: number
  title: string
  subject: string
  from: string | null
  author: string | null
  user_id: number
  category_id: number
  category: string
  image: number | null
  audit_status: number
  audit_count: number
  mark: string | null
  contribute_amount: number
  fee_state: string
  recommend: boolean
  digg_count: number
  comment_count: number
  hits: number
  published_at: string | null
  created_at: string
  updated_at: string
  content?: string
  tags?: { id: number; name: string }[]
}
export type DeletionRow = {
  id: number
  news_id: number
  user_id: number
  title: string
  state: string
  mark: string | null
  decided_by: number | null
  decided_at: string | null
  created_at: string
}

const direction = (sql: Db, order: 'asc' | 'desc' | undefined) => (order === 'asc' ? sql`asc` : sql`desc`)

const titleContains = (sql: Db, part: string | undefined) => {
  const key = nameKey(part ?? '')
  return key === ''
    ? sql``
    : sql`and n.title_grams @> ${gramsOfQuery(key)} and n.title_key like ${`%${escapeLike(key)}%`}`
}

const categoryColumns = (sql: Db) => sql`
  g.id, g.name, g.rank, g.created_at, g.updated_at,
  (select count(*) from news n where n.category_id = g.id) as news_count`

/** A page of categories. */
export function listCategoryRecords(sql: Db, query: CategoryQuery) {
  const { page = 1, limit = 15, sort = 'rank', order, q } = query
  const where = sql`where true ${
    nameKey(q ?? '') === '' ? sql`` : sql`and g.name_key like ${`%${escapeLike(nameKey(q ?? ''))}%`}`
  }`
  const by = direction(sql, order)
  const first = sort === 'rank' ? sql`g.rank ${by},` : sort === 'name' ? sql`g.name_key ${by},` : sql``
  return pageOf<CategoryRow>(
    sql`select ${categoryColumns(sql)} from news_categories g ${where}
      order by ${first} g.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from news_categories g ${where}`,
  )
}

export async function findCategoryRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<CategoryRow[]>`
    select ${categoryColumns(sql)} from news_categories g where g.id = ${id} ${lock ? sql`for update of g` : sql``}`
  return row
}

const newsColumns = (sql: Db) => sql`
  n.id, n.title, n.subject, n."from", n.author, n.user_id, n.category_id, g.name as category, n.image, n.audit_status,
  n.audit_count, n.mark, n.contribute_amount, n.fee_state, n.recommended_at is not null as recommend, c.digg_count,
  c.comment_count, c.hits, n.published_at, n.created_at, n.updated_at`
const newsTables = (sql: Db) => sql`
  news n join news_counts c on c.news_id = n.id join news_categories g on g.id = n.category_id`

/** A page of articles of every state. */
export function listNewsRecords(sql: Db, query: NewsQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, title, audit_status: status, recommend } = query
  const where = sql`where true ${titleContains(sql, q)} ${titleContains(sql, title)}
    ${status === undefined ? sql`` : sql`and n.audit_status = ${status}`}
    ${query.category_id === undefined ? sql`` : sql`and n.category_id = ${query.category_id}`}
    ${query.user_id === undefined ? sql`` : sql`and n.user_id = ${query.user_id}`}
    ${recommend === undefined ? sql`` : recommend ? sql`and n.recommended_at is not null` : sql`and n.recommended_at is null`}`
  const by = direction(sql, order)
  return pageOf<NewsRow>(
    sql`select ${newsColumns(sql)} from ${newsTables(sql)} ${where}
      order by ${sort === 'id' ? sql`` : sql`c.${sql(sort)} ${by},`} n.id ${by}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from news n ${where}`,
  )
}

export async function findNewsRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<NewsRow[]>`
    select ${newsColumns(sql)}, n.content, coalesce((
      select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id)
      from news_tags l join tags t on t.id = l.tag_id where l.news_id = n.id
    ), '[]') as tags
    from ${newsTables(sql)} where n.id = ${id} ${lock ? sql`for update of n` : sql``}`
  return row
}

/** A page of requests for deletion. */
export function listDeletions(sql: Db, query: DeletionQuery) {
  const { page = 1, limit = 15, order, state, user_id: user, q } = query
  const where = sql`where true ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${user === undefined ? sql`` : sql`and user_id = ${user}`}
    ${q === undefined ? sql`` : sql`and title ilike ${`%${escapeLike(q)}%`}`}`
  return pageOf<DeletionRow>(
    sql`select * from news_deletions ${where} order by id ${direction(sql, order)}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from news_deletions ${where}`,
  )
}

export const findDeletion = async (sql: Db, id: number) =>
  (await sql<DeletionRow[]>`select * from news_deletions where id = ${id}`)[0]
