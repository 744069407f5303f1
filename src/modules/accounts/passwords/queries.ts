import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'

/** The password of an enabled person as it is stored; undefined when there is no such person. */
export async function findPassword(sql: Db, userId: number): Promise<string | null | undefined> {
  const [row] = await sql<{ password: string | null }[]>`
    select password from users where id = ${userId} and deleted_at is null`
  return row?.password
}

/** Stores a password; false when it is no longer `expected` (where given), because another change was first. */
export async function savePassword(
  sql: Db,
  userId: number,
  password: string,
  expected?: string | null,
): Promise<boolean> {
  const rows = await sql`
    update users set password = ${password} where id = ${userId}
      ${ifGiven(sql, expected, (former) => sql`and password is not distinct from ${former}`)}
    returning 1`
  return rows.length === 1
}

/** Disables or enables an account; false when it was so already. */
export async function saveDisabled(sql: Db, userId: number, disabled: boolean): Promise<boolean> {
  const rows = await sql`
    update users set deleted_at = ${disabled ? sql`now()` : null}
    where id = ${userId} and (deleted_at is not null) <> ${disabled} returning 1`
  return rows.length === 1
}
