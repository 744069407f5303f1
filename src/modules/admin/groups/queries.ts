import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import { type GroupRow, groupColumns, type PostRow, postColumns } from '#modules/groups/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { CategoryQuery, GroupQuery, NewCategory, PostQuery, RecommendQuery } from './schema.ts'

export type CategoryRow = {
  id: number
  name: string
  sort_by: number
  status: number
  groups_count: number
  created_at: string
  updated_at: string
}

const direction = (sql: Db, order: 'asc' | 'desc' | undefined) => (order === 'asc' ? sql`asc` : sql`desc`)

const categoryColumns = (sql: Db) => sql`
  c.id, c.name, c.sort_by, c.status, c.created_at, c.updated_at,
  (select count(*)::int from groups g where g.category_id = c.id and g.deleted_at is null) as groups_count`

/** A page of categories. */
export function listCategoryRecords(sql: Db, query: CategoryQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, status } = query
  const key = nameKey(q ?? '')
  const where = sql`where true ${status === undefined ? sql`` : sql`and c.status = ${status}`}
    ${key === '' ? sql`` : sql`and c.name_key like ${`%${escapeLike(key)}%`}`}`
  const by = direction(sql, order)
  return pageOf<CategoryRow>(
    sql`select ${categoryColumns(sql)} from group_categories c ${where}
      order by ${sort === 'sort_by' ? sql`c.sort_by ${by},` : sql``} c.id ${by}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from group_categories c ${where}`,
  )
}

export async function findCategoryRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<CategoryRow[]>`
    select ${categoryColumns(sql)} from group_categories c where c.id = ${id} ${lock ? sql`for update of c` : sql``}`
  return row
}

export async function insertCategory(sql: Db, { name, sort_by = 0, status = 0 }: NewCategory) {
  const [row] = await sql<[{ id: number }]>`
    insert into group_categories (name, name_key, sort_by, status)
    values (${name}, ${nameKey(name)}, ${sort_by}, ${status}) returning id`
  return row.id
}

/** Changes the fields that are given. */
export const updateCategory = (sql: Db, id: number, { name, sort_by, status }: Partial<NewCategory>) => sql`
  update group_categories set updated_at = now()
    ${name === undefined ? sql`` : sql`, name = ${name}, name_key = ${nameKey(name)}`}
    ${sort_by === undefined ? sql`` : sql`, sort_by = ${sort_by}`}
    ${status === undefined ? sql`` : sql`, status = ${status}`}
  where id = ${id}`

export const deleteCategory = (sql: Db, id: number) => sql`delete from group_categories where id = ${id}`

export type GroupRecordRow = GroupRow & { founder_id: number | null; recommended: boolean }

const groupFields = (sql: Db) => sql`
  ${groupColumns(sql)},
  (select m.user_id from group_members m where m.group_id = g.id and m.role = 'founder') as founder_id,
  exists (select from group_recommends r where r.group_id = g.id) as recommended`

/** A page of circles of every state. */
export function listGroupRecords(sql: Db, query: GroupQuery) {
  const { page = 1, limit = 15, order, q, audit, category_id: category, mode, user_id: user } = query
  const key = nameKey(q ?? '')
  const where = sql`where g.deleted_at is null ${audit === undefined ? sql`` : sql`and g.audit = ${audit}`}
    ${category === undefined ? sql`` : sql`and g.category_id = ${category}`}
    ${mode === undefined ? sql`` : sql`and g.mode = ${mode}`}
    ${user === undefined ? sql`` : sql`and g.user_id = ${user}`}
    ${key === '' ? sql`` : sql`and g.name_grams @> ${gramsOfQuery(key)} and g.name_key like ${`%${escapeLike(key)}%`}`}`
  return pageOf<GroupRecordRow>(
    sql`select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id ${where}
      order by g.id ${direction(sql, order)} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from groups g ${where}`,
  )
}

export async function findGroupRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<GroupRecordRow[]>`
    select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id
    where g.id = ${id} and g.deleted_at is null ${lock ? sql`for no key update of g` : sql``}`
  return row
}

/** Moves a circle to another category. */
export const setCategory = (sql: Db, id: number, categoryId: number) =>
  sql`update groups set category_id = ${categoryId}, updated_at = now() where id = ${id}`

/** A page of the recommended circles. */
export function listRecommendRecords(sql: Db, query: RecommendQuery) {
  const { page = 1, limit = 15, sort = 'sort_by', order } = query
  const by = direction(sql, order)
  return pageOf<GroupRecordRow>(
    sql`select ${groupFields(sql)} from group_recommends r join groups g on g.id = r.group_id and g.deleted_at is null
      join group_counts n on n.group_id = g.id
      order by ${sort === 'sort_by' ? sql`r.sort_by ${by},` : sql``} g.id ${by}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from group_recommends r join groups g on g.id = r.group_id and g.deleted_at is null`,
  )
}

/** Recommends a circle, or gives it another place. */
export const saveRecommend = (sql: Db, groupId: number, sortBy: number, referrer: number) => sql`
  insert into group_recommends (group_id, sort_by, referrer) values (${groupId}, ${sortBy}, ${referrer})
  on conflict (group_id) do update set sort_by = excluded.sort_by, referrer = excluded.referrer`

/** False when the circle was not recommended. */
export async function deleteRecommend(sql: Db, groupId: number): Promise<boolean> {
  const gone = await sql`delete from group_recommends where group_id = ${groupId}`
  return gone.count > 0
}

export type PostRecordRow = PostRow & { body: string }

/** A page of posts of all circles, private ones too. */
export function listPostRecords(sql: Db, query: PostQuery) {
  const { page = 1, limit = 15, order, q, group_id: group, user_id: user } = query
  const key = nameKey(q ?? '')
  const where = sql`where true ${group === undefined ? sql`` : sql`and p.group_id = ${group}`}
    ${user === undefined ? sql`` : sql`and p.user_id = ${user}`}
    ${key === '' ? sql`` : sql`and p.title_grams @> ${gramsOfQuery(key)} and p.title_key like ${`%${escapeLike(key)}%`}`}`
  return pageOf<PostRecordRow>(
    sql`select ${postColumns(sql)}, p.body from group_posts p ${where}
      order by p.id ${direction(sql, order)} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from group_posts p ${where}`,
  )
}

export async function findPostRecord(sql: Db, id: number) {
  const [row] = await sql<PostRecordRow[]>`
    select ${postColumns(sql)}, p.body from group_posts p where p.id = ${id}`
  return row
}
