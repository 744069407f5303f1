import { escapeLike, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type {
  CategoryChanges,
  CategoryQuery,
  ManagedCategory,
  ManagedTag,
  TagChanges,
  TagQuery,
} from './schema.ts'

const categoryColumns = (sql: Db) => sql`
  x.id, x.name, x.weight, x.created_at,
  (select count(*)::int from tags t where t.tag_category_id = x.id) as tags_count`

const tagColumns = (sql: Db) => sql`
  x.id, x.name, x.tag_category_id, x.weight, x.created_at,
  (select c.name from tag_categories c where c.id = x.tag_category_id) as tag_category_name`

/** The conditions, order and page that both lists share; the table is called x. */
const listing = (sql: Db, { page = 1, limit = 15, sort = 'id', order = 'desc', q }: CategoryQuery) => {
  const key = nameKey(q ?? '')
  const by = { id: sql`x.id`, weight: sql`x.weight`, name: sql`x.name_key` }[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return {
    named: key === '' ? sql`` : sql`and x.name_key like ${`%${escapeLike(key)}%`}`,
    ordered: sql`order by ${by} ${direction}, x.id ${direction} limit ${limit} offset ${(page - 1) * limit}`,
  }
}

export function listCategories(sql: Db, query: CategoryQuery) {
  const { named, ordered } = listing(sql, query)
  return pageOf<ManagedCategory>(
    sql`select ${categoryColumns(sql)} from tag_categories x where true ${named} ${ordered}`,
    sql`select count(*)::int as total from tag_categories x where true ${named}`,
  )
}

export function listTags(sql: Db, query: TagQuery) {
  const { named, ordered } = listing(sql, query)
  const { tag_category_id: category } = query
  const within = category === undefined ? sql`` : sql`and x.tag_category_id = ${category}`
  return pageOf<ManagedTag>(
    sql`select ${tagColumns(sql)} from tags x where true ${named} ${within} ${ordered}`,
    sql`select count(*)::int as total from tags x where true ${named} ${within}`,
  )
}

export async function findCategory(sql: Db, id: number): Promise<ManagedCategory | undefined> {
  const [row] = await sql<ManagedCategory[]>`
    select ${categoryColumns(sql)} from tag_categories x where x.id = ${id}`
  return row
}

export async function findTag(sql: Db, id: number): Promise<ManagedTag | undefined> {
  const [row] = await sql<ManagedTag[]>`select ${tagColumns(sql)} from tags x where x.id = ${id}`
  return row
}

export async function insertCategory(sql: Db, { name, weight = 0 }: { name: string; weight?: number }) {
  const [row] = await sql<[{ id: number }]>`
    insert into tag_categories (name, name_key, weight) values (${name}, ${nameKey(name)}, ${weight}) returning id`
  return row.id
}

export async function insertTag(
  sql: Db,
  tag: { name: string; tag_category_id: number; weight?: number },
): Promise<number> {
  const { name, tag_category_id: category, weight = 0 } = tag
  const [row] = await sql<[{ id: number }]>`
    insert into tags (name, name_key, tag_category_id, weight)
    values (${name}, ${nameKey(name)}, ${category}, ${weight}) returning id`
  return row.id
}

const renamed = (sql: Db, name: string | undefined) =>
  name === undefined ? sql`` : sql`, name = ${name}, name_key = ${nameKey(name)}`

/** False when there is no such category. */
export async function updateCategory(sql: Db, id: number, { name, weight }: CategoryChanges) {
  const rows = await sql`
    update tag_categories set weight = ${weight ?? sql`weight`} ${renamed(sql, name)} where id = ${id} returning id`
  return rows.length > 0
}

/** False when there is no such tag. */
export async function updateTag(sql: Db, id: number, changes: TagChanges) {
  const { name, tag_category_id: category, weight } = changes
  const rows = await sql`
    update tags set weight = ${weight ?? sql`weight`}, tag_category_id = ${category ?? sql`tag_category_id`}
      ${renamed(sql, name)}
    where id = ${id} returning id`
  return rows.length > 0
}

/** Deletes a category without tags; the foreign key refuses another. */
export async function deleteCategory(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`delete from tag_categories where id = ${id} returning id`
  return rows.length > 0
}

/** Deletes a tag that nothing carries; the foreign keys refuse another. */
export async function deleteTag(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`delete from tags where id = ${id} returning id`
  return rows.length > 0
}
