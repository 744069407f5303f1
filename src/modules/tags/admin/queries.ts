import { escapeLike, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, when } from '#platform/sql.ts'
import type {
  NewTag,
  NewTagCategory,
  TagCategoryQuery,
  TagCategoryRecord,
  TagQuery,
  TagRecord,
} from './schema.ts'

const categoryColumns = (sql: Db) => sql`
  x.id, x.name, x.weight, x.created_at,
  (select count(*)::int from tags t where t.tag_category_id = x.id) as tags_count`

const tagColumns = (sql: Db) => sql`
  x.id, x.name, x.tag_category_id, x.weight, x.created_at,
  (select c.name from tag_categories c where c.id = x.tag_category_id) as tag_category_name`

/** The conditions, order and page that both lists share; the table is called x. */
const listing = (sql: Db, query: TagCategoryQuery, table: 'tags' | 'tag_categories') => {
  const key = nameKey(query.q ?? '')
  const by = { id: undefined, weight: sql`x.weight`, name: sql`x.name_key` }[query.sort ?? 'id']
  return {
    named: when(sql, key !== '', () => sql`and x.name_key like ${`%${escapeLike(key)}%`}`),
    ordered: listingAt(sql, query, { id: sql`x.id`, by, from: sql`${sql(table)} x` }),
  }
}

/** A page of categories. */
export function listCategoryRecords(sql: Db, query: TagCategoryQuery) {
  const { named, ordered } = listing(sql, query, 'tag_categories')
  return pageOf<TagCategoryRecord>(
    sql,
    sql`select ${categoryColumns(sql)} from tag_categories x where true ${named} ${ordered}`,
    sql`select count(*)::int as total from tag_categories x where true ${named}`,
  )
}

/** A page of tags, of all categories or of one. */
export function listTagRecords(sql: Db, query: TagQuery) {
  const { named, ordered } = listing(sql, query, 'tags')
  const within = ifGiven(sql, query.tag_category_id, (id) => sql`and x.tag_category_id = ${id}`)
  return pageOf<TagRecord>(
    sql,
    sql`select ${tagColumns(sql)} from tags x where true ${named} ${within} ${ordered}`,
    sql`select count(*)::int as total from tags x where true ${named} ${within}`,
  )
}

/** A category; `lock` keeps it as it is until the end of the transaction. */
export async function findCategoryRecord(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<TagCategoryRecord | undefined> {
  const [row] = await sql<TagCategoryRecord[]>`
    select ${categoryColumns(sql)} from tag_categories x where x.id = ${id}
    ${when(sql, lock, () => sql`for update of x`)}`
  return row
}

/** A tag; `lock` keeps it as it is until the end of the transaction. */
export async function findTagRecord(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<TagRecord | undefined> {
  const [row] = await sql<TagRecord[]>`
    select ${tagColumns(sql)} from tags x where x.id = ${id} ${when(sql, lock, () => sql`for update of x`)}`
  return row
}

export async function insertCategory(sql: Db, { name, weight = 0 }: NewTagCategory): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into tag_categories (name, name_key, weight) values (${name}, ${nameKey(name)}, ${weight}) returning id`
  return row.id
}

export async function insertTag(
  sql: Db,
  { name, tag_category_id: category, weight = 0 }: NewTag,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into tags (name, name_key, tag_category_id, weight)
    values (${name}, ${nameKey(name)}, ${category}, ${weight}) returning id`
  return row.id
}

const renamed = (sql: Db, name: string | undefined) =>
  ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}`)

/** Changes the fields that are given. */
export async function updateCategory(sql: Db, id: number, { name, weight }: Partial<NewTagCategory>) {
  await sql`
    update tag_categories set weight = ${weight ?? sql`weight`} ${renamed(sql, name)} where id = ${id}`
}

/** Changes the fields that are given. */
export async function updateTag(sql: Db, id: number, changes: Partial<NewTag>) {
  const { name, tag_category_id: category, weight } = changes
  await sql`
    update tags set weight = ${weight ?? sql`weight`}, tag_category_id = ${category ?? sql`tag_category_id`}
      ${renamed(sql, name)}
    where id = ${id}`
}

/** Deletes a category without tags; the foreign key refuses another. */
export async function deleteCategory(sql: Db, id: number): Promise<void> {
  await sql`delete from tag_categories where id = ${id}`
}

/** Deletes a tag that nothing carries; the foreign keys refuse another. */
export async function deleteTag(sql: Db, id: number): Promise<void> {
  await sql`delete from tags where id = ${id}`
}
