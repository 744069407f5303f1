import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** Where a person is reached now. */
export async function findContacts(
  sql: Db,
  userId: number,
): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<
    Row<'users', 'email' | 'phone'>[]
  >`select email, phone from users where id = ${userId}`
  return row
}
