import type { Login } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import type { Db, Tx } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

export type AccountRow = Row<'users', 'id' | 'name' | 'password' | 'email' | 'phone'> & { disabled: boolean }

/** Whom a login names, disabled people included. */
export async function findAccount(sql: Db, { kind, value }: Login): Promise<AccountRow | undefined> {
  const condition = {
    email: () => sql`email_key = ${value}`,
    phone: () => sql`phone = ${value}`,
    name: () => sql`name_key = ${nameKey(String(value))}`,
    id: () => sql`id = ${value}`,
  }[kind]()
  const [row] = await sql<AccountRow[]>`
    select id, name, password, email, phone, deleted_at is not null as disabled from users where ${condition}`
  return row
}

/**
 * Whether an account is still enabled and has the password that was checked. It stays so until the transaction ends:
 * a password change or a disabling that comes later then finds the new token and revokes it.
 */
export async function holdAccount(tx: Tx, { id, password }: AccountRow): Promise<boolean> {
  const rows = await tx`
    select 1 from users
    where id = ${id} and deleted_at is null and password is not distinct from ${password} for share`
  return rows.length === 1
}
