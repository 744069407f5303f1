import { grams, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import type { Account } from '../codes/schema.ts'

export type PrivateRow = Row<'users', 'email' | 'phone'> & {
  initial_password: boolean
  friends_count: number
}

/** What only the person themselves may see of their account. */
export async function findPrivateRow(sql: Db, userId: number): Promise<PrivateRow | undefined> {
  const [row] = await sql<PrivateRow[]>`
    select email, phone, password is not null as initial_password, (
      -- As a join it is planned for few rows, and compares everybody with everybody where there are many.
      select count(*)::int from user_follows mine
      where mine.user_id = u.id and coalesce((
        select true from user_follows theirs
        where theirs.user_id = mine.target_id and theirs.target_id = mine.user_id
      ), false)
    ) as friends_count
    from users u where id = ${userId}`
  return row
}

export type ProfileChanges = {
  name?: string
  bio?: string | null
  sex?: number
  location?: string | null
  avatar?: StoredNode | null
  bg?: StoredNode | null
}

/** Changes the given fields of a person. */
export async function saveProfile(sql: Db, userId: number, changes: ProfileChanges): Promise<void> {
  const { name, bio, sex, location, avatar, bg } = changes
  const picture = (value: StoredNode | null) => (value === null ? null : sql.json(value))
  await sql`
    update users set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, bio, (value) => sql`, bio = ${value}`)}
      ${ifGiven(sql, sex, (value) => sql`, sex = ${value}`)}
      ${ifGiven(sql, location, (value) => sql`, location = ${value}`)}
      ${ifGiven(sql, avatar, (value) => sql`, avatar = ${picture(value)}`)}
      ${ifGiven(sql, bg, (value) => sql`, bg = ${picture(value)}`)}
    where id = ${userId}`
}

/** Gives a person an e-mail or phone that a code has proved. */
export async function bindAccount(sql: Db, userId: number, { field, value, key }: Account): Promise<void> {
  await sql`
    update users set updated_at = now(), ${
      field === 'email'
        ? sql`email = ${value}, email_key = ${key}, email_verified_at = now()`
        : sql`phone = ${key}, phone_verified_at = now()`
    } where id = ${userId}`
}

/** Takes an e-mail or phone from a person. */
export async function unbindAccount(sql: Db, userId: number, { field, key }: Account): Promise<void> {
  await sql`
    update users set updated_at = now(), ${
      field === 'email'
        ? sql`email = null, email_key = null, email_verified_at = null`
        : sql`phone = null, phone_verified_at = null`
    } where id = ${userId} and ${field === 'email' ? sql`email_key` : sql`phone`} = ${key}`
}
