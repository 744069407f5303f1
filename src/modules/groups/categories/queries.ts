import type { Db, Row } from '#platform/database'

export type GroupCategoryRow = Row<
  'group_categories',
  'id' | 'name' | 'sort_by' | 'status' | 'created_at' | 'updated_at'
>

const columns = (sql: Db) => sql`id, name, sort_by, status, created_at, updated_at`

/** Visible categories in order. */
export const listCategories = (sql: Db) => sql<GroupCategoryRow[]>`
  select ${columns(sql)} from group_categories where status = 0 order by sort_by desc, id`

/** Reads a category, even a hidden one. */
export async function findCategory(sql: Db, id: number): Promise<GroupCategoryRow | undefined> {
  const [row] = await sql<GroupCategoryRow[]>`select ${columns(sql)} from group_categories where id = ${id}`
  return row
}
