import { enabledUser } from '#modules/accounts/index.ts'
import type { Db, Row, Tx } from '#platform/database'

/** Finds the user who linked this account. */
export async function findLinked(sql: Db, provider: string, subject: string): Promise<number | undefined> {
  const [row] = await sql<{ user_id: number }[]>`
    select user_id from linked_accounts where provider = ${provider} and subject = ${subject}`
  return row?.user_id
}

/** Lists the providers of a user's linked accounts, by the name of the provider. */
export async function listLinked(sql: Db, userId: number): Promise<string[]> {
  const rows = await sql<{ provider: string }[]>`
    select provider from linked_accounts where user_id = ${userId} order by provider limit 100`
  return rows.map(({ provider }) => provider)
}

export type LinkedRow = Row<'linked_accounts', 'provider' | 'created_at' | 'used_at'>

/** Lists a user's linked accounts, by the name of the provider. */
export const listLinks = (sql: Db, userId: number) => sql<LinkedRow[]>`
  select provider, created_at, used_at from linked_accounts where user_id = ${userId}
  order by provider limit 100`

/** Records a sign-in with a linked account. */
export const markUsed = (sql: Db, provider: string, subject: string) => sql`
  update linked_accounts set used_at = now() where provider = ${provider} and subject = ${subject}`

/** Marks a proof as used and deletes expired ones. Returns false when it was used before. */
export async function insertUsedProof(sql: Db, digest: Buffer, until: number): Promise<boolean> {
  const { count } = await sql`
    with expired as (delete from used_link_proofs where expires_at < now())
    insert into used_link_proofs (digest, expires_at)
    values (${digest}, to_timestamp(${until}::float8 / 1000)) on conflict do nothing`
  return count > 0
}

export const insertLinked = (sql: Db, provider: string, subject: string, userId: number) => sql`
  insert into linked_accounts (provider, subject, user_id) values (${provider}, ${subject}, ${userId})`

/** Deletes a link. Returns false when there is none. */
export async function deleteLinked(sql: Db, provider: string, userId: number): Promise<boolean> {
  const { count } = await sql`
    delete from linked_accounts where provider = ${provider} and user_id = ${userId}`
  return count > 0
}

/** Locks an enabled account until the transaction ends. Returns false when it is disabled. */
export const holdEnabled = async (tx: Tx, userId: number): Promise<boolean> =>
  (await tx`${enabledUser(tx, userId)} for share`).length > 0

/** Deletes all links of a user. Returns false when there is none. */
export const unlinkAll = async (sql: Db, userId: number): Promise<boolean> =>
  (await sql`delete from linked_accounts where user_id = ${userId}`).count > 0
