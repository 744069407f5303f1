import { grams, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import { friendsOf } from '#modules/users/index.ts'
import { type Db, ifGiven, type Row, type Tx } from '#platform/database'
import type { Account } from './schema.ts'

export async function findPassword(sql: Db, userId: number): Promise<string | null | undefined> {
  const [row] = await sql<{ password: string | null }[]>`
    select password from users where id = ${userId} and deleted_at is null`
  return row?.password
}

export const hasPassword = async (sql: Db, userId: number): Promise<boolean> =>
  ((await findPassword(sql, userId)) ?? null) !== null

/**
 * Returns true if the user can sign in with a password, phone or e-mail. Locks the account until the
 * transaction ends.
 */
export async function lockSignInMethods(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ some: boolean }[]>`
    select password is not null or phone is not null or email is not null as some from users
    where id = ${userId} for update`
  return row?.some ?? false
}

/** Returns false if a concurrent change replaced the password hash `expected`. */
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

/** Returns the accounts that were not in this state. */
export async function saveDisabled(
  sql: Db,
  userIds: readonly number[],
  disabled: boolean,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    update users set deleted_at = ${disabled ? sql`now()` : null}
    where id = any(${userIds}) and (deleted_at is not null) <> ${disabled} returning id`
  return rows.map(({ id }) => id)
}

/** Makes a repeated decision to disable an account the latest one, so that the undo of a wave keeps it. */
export const renewDisabling = (sql: Db, userId: number) => sql`
  update users set deleted_at = now() where id = ${userId} and deleted_at is not null and erased_at is null`

type PrivateRow = Row<'users', 'email' | 'phone' | 'found_by_phone'> & {
  initial_password: boolean
  friends_count: number
}

export async function findPrivateRow(sql: Db, userId: number): Promise<PrivateRow | undefined> {
  const [row] = await sql<PrivateRow[]>`
    select email, phone, found_by_phone, password is not null as initial_password, coalesce(
      (select friends_count from user_counts where user_id = u.id), (${friendsOf(sql, sql`u.id`)})
    ) as friends_count
    from users u where id = ${userId}`
  return row
}

type ProfileChanges = {
  name?: string
  bio?: string | null
  sex?: number
  location?: string | null
  avatar?: StoredNode | null
  bg?: StoredNode | null
  found_by_phone?: boolean
}

export async function saveProfile(sql: Db, userId: number, changes: ProfileChanges): Promise<void> {
  const { name, bio, sex, location, avatar, bg, found_by_phone: isFound } = changes
  const picture = (value: StoredNode | null) => (value === null ? null : sql.json(value))
  await sql`
    update users set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, bio, (value) => sql`, bio = ${value}`)}
      ${ifGiven(sql, sex, (value) => sql`, sex = ${value}`)}
      ${ifGiven(sql, location, (value) => sql`, location = ${value}`)}
      ${ifGiven(sql, avatar, (value) => sql`, avatar = ${picture(value)}`)}
      ${ifGiven(sql, bg, (value) => sql`, bg = ${picture(value)}`)}
      ${ifGiven(sql, isFound, (value) => sql`, found_by_phone = ${value}`)}
    where id = ${userId}`
}

export async function bindAccount(sql: Db, userId: number, { field, value, key }: Account): Promise<void> {
  await sql`
    update users set updated_at = now(), ${
      field === 'email'
        ? sql`email = ${value}, email_key = ${key}, email_verified_at = now()`
        : sql`phone = ${key}, phone_verified_at = now()`
    } where id = ${userId}`
}

export async function unbindAccount(sql: Db, userId: number, { field, key }: Account): Promise<void> {
  await sql`
    update users set updated_at = now(), ${
      field === 'email'
        ? sql`email = null, email_key = null, email_verified_at = null`
        : sql`phone = null, phone_verified_at = null`
    } where id = ${userId} and ${field === 'email' ? sql`email_key` : sql`phone`} = ${key}`
}
