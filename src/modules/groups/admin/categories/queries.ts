import { escapeLike, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, when } from '#platform/sql.ts'
import type { GroupCategoryRow } from '../../categories/queries.ts'
import type { CategoryQuery, NewGroupCategory } from './schema.ts'

export type CategoryRecordRow = GroupCategoryRow & { groups_count: number }

const columns = (sql: Db) => sql`c.id, c.name, c.sort_by, c.status, c.created_at, c.updated_at`

/** A page of categories. */
export function listCategoryRecords(sql: Db, query: CategoryQuery) {
  const key = nameKey(query.q ?? '')
  const where = sql`where true ${ifGiven(sql, query.status, (status) => sql`and c.status = ${status}`)}
    ${when(sql, key !== '', () => sql`and c.name_key like ${`%${escapeLike(key)}%`}`)}`
  const by = query.sort === 'sort_by' ? sql`c.sort_by` : undefined
  return pageOf<CategoryRecordRow>(
    sql,
    // Groups are read once for all categories, not once for each.
    sql`select ${columns(sql)}, coalesce(n.groups_count, 0) as groups_count
      from group_categories c left join (
        select category_id, count(*)::int as groups_count from groups where deleted_at is null group by 1
      ) n on n.category_id = c.id ${where}
      ${listingAt(sql, query, { id: sql`c.id`, by, from: sql`group_categories c` })}`,
    sql`select count(*)::int as total from group_categories c ${where}`,
  )
}

export async function findCategoryRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<CategoryRecordRow[]>`
    select ${columns(sql)},
      (select count(*)::int from groups g where g.category_id = c.id and g.deleted_at is null) as groups_count
    from group_categories c where c.id = ${id}
    ${when(sql, lock, () => sql`for update of c`)}`
  return row
}

export async function insertCategory(sql: Db, { name, sort_by = 0, status = 0 }: NewGroupCategory) {
  const [row] = await sql<[{ id: number }]>`
    insert into group_categories (name, name_key, sort_by, status)
    values (${name}, ${nameKey(name)}, ${sort_by}, ${status}) returning id`
  return row.id
}

/** Changes the fields that are given. */
export const updateCategory = (
  sql: Db,
  id: number,
  { name, sort_by, status }: Partial<NewGroupCategory>,
) => sql`
  update group_categories set updated_at = now()
    ${ifGiven(sql, name, (text) => sql`, name = ${text}, name_key = ${nameKey(text)}`)}
    ${ifGiven(sql, sort_by, (place) => sql`, sort_by = ${place}`)}
    ${ifGiven(sql, status, (value) => sql`, status = ${value}`)}
  where id = ${id}`

export const deleteCategory = (sql: Db, id: number) => sql`delete from group_categories where id = ${id}`
