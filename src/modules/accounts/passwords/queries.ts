import type { Db, Tx } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'

/** The password of an enabled person as it is stored; undefined when there is no such person. */
export async function findPassword(sql: Db, userId: number): Promise<string | null | undefined> {
  const [row] = await sql<{ password: string | null }[]>`
    select password from users where id = ${userId} and deleted_at is null`
  return row?.password
}

/** Whether a person can sign in with a password. */
export const hasPassword = async (sql: Db, userId: number): Promise<boolean> =>
  ((await findPassword(sql, userId)) ?? null) !== null

/**
 * Whether a person can sign in with a password, or with a code to a phone or e-mail. The account is locked until the
 * transaction ends.
 */
export async function holdWaysIn(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ some: boolean }[]>`
    select password is not null or phone is not null or email is not null as some from users
    where id = ${userId} for update`
  return row?.some ?? false
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
