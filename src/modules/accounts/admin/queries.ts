import { normalizeEmail } from '#lib/identifiers.ts'
import { normalizePhone } from '#lib/phones.ts'
import { grams, nameKey } from '#lib/text.ts'
import { holdersOf, roleNamesOf } from '#modules/abilities/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, orderAt, when } from '#platform/sql.ts'
import { anyNameContains } from '../users/queries.ts'
import type { ManagedUser, ManagedUserQuery } from './schema.ts'

const columns = (sql: Db) => sql`
  u.id, u.name, u.email, u.phone, u.bio, u.sex, u.location, u.verified, u.password is not null as has_password,
  u.deleted_at is not null as disabled, u.created_at, u.updated_at,
  ${roleNamesOf(sql, sql`u.id`)} as roles`

/** A page of accounts, disabled ones included. */
export function listManagedUsers(sql: Db, query: ManagedUserQuery) {
  const { sort = 'id', q, id, email, phone, role, disabled } = query
  const where = sql`
    where true ${when(sql, q !== undefined, () => sql`and ${anyNameContains(sql, q)}`)}
      ${ifGiven(sql, id, (value) => sql`and u.id = ${value}`)}
      ${ifGiven(sql, email, (value) => sql`and u.email_key = ${normalizeEmail(value)}`)}
      ${ifGiven(sql, phone, (value) => sql`and u.phone = ${normalizePhone(value)}`)}
      ${ifGiven(sql, role, (value) => sql`and u.id in (${holdersOf(sql, value)})`)}
      ${ifGiven(sql, disabled, (value) => (value ? sql`and u.deleted_at is not null` : sql`and u.deleted_at is null`))}`
  const by = { id: undefined, name: sql`u.name_key`, created_at: sql`u.created_at` }[sort]
  const order = { id: sql`u.id`, by, from: sql`users u` }
  return pageOf<ManagedUser>(
    sql,
    // Roles are looked up for those on the page, not for all before it.
    sql`select ${columns(sql)} from users u
      where u.id = any(array(select u.id from users u ${where} ${listingAt(sql, query, order)})) ${orderAt(sql, query, order)}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}

/** An account as those who manage accounts see it. */
export async function findManagedUser(sql: Db, id: number): Promise<ManagedUser | undefined> {
  const [row] = await sql<ManagedUser[]>`select ${columns(sql)} from users u where u.id = ${id}`
  return row
}

type Columns = {
  name?: string | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
  verified?: object | null | undefined
}

/** Changes what is given of an account. */
export async function updateUser(
  sql: Db,
  id: number,
  { name, email, phone, verified }: Columns,
): Promise<void> {
  await sql`
    update users set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, email, (value) => sql`, email = ${value}, email_key = ${value === null ? null : normalizeEmail(value)}, email_verified_at = null`)}
      ${ifGiven(sql, phone, (value) => sql`, phone = ${value}, phone_verified_at = null`)}
      ${ifGiven(sql, verified, (value) => sql`, verified = ${value === null ? null : sql.json(value as never)}`)}
    where id = ${id}`
}

/** Whether there is such an account, disabled or not. */
export const isKnown = async (sql: Db, id: number): Promise<boolean> =>
  (await sql`select from users where id = ${id}`).count > 0
