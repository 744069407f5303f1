import type { Db } from '#platform/database.ts'

/** Whether there is such a person, not disabled. */
export async function isPerson(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`select from users where id = ${id} and deleted_at is null`
  return rows.length > 0
}
