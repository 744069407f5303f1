import { type Db, ifGiven, type Tx } from '#platform/database'

/** Password hash of an enabled user. Undefined for an unknown user. */
export async function findPassword(sql: Db, userId: number): Promise<string | null | undefined> {
  const [row] = await sql<{ password: string | null }[]>`
    select password from users where id = ${userId} and deleted_at is null`
  return row?.password
}

export const hasPassword = async (sql: Db, userId: number): Promise<boolean> =>
  ((await findPassword(sql, userId)) ?? null) !== null

/**
 * Checks that a user has a password, phone or e-mail to sign in with. Locks the account until the transaction
 * ends.
 */
export async function lockSignInMethods(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ some: boolean }[]>`
    select password is not null or phone is not null or email is not null as some from users
    where id = ${userId} for update`
  return row?.some ?? false
}

/**
 * Stores a password hash. False if the current one differs from `expected`, because another change was first.
 */
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

/** Disables or enables an account. False without a change. */
export async function saveDisabled(sql: Db, userId: number, disabled: boolean): Promise<boolean> {
  const rows = await sql`
    update users set deleted_at = ${disabled ? sql`now()` : null}
    where id = ${userId} and (deleted_at is not null) <> ${disabled} returning 1`
  return rows.length === 1
}
