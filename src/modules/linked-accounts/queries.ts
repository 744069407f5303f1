import { enabledUser } from '#modules/accounts/index.ts'
import type { Db, Tx } from '#platform/database.ts'

/** Whose account of a provider this is. */
export async function findLinked(sql: Db, provider: string, subject: string): Promise<number | undefined> {
  const [row] = await sql<{ user_id: number }[]>`
    select user_id from linked_accounts where provider = ${provider} and subject = ${subject}`
  return row?.user_id
}

/** The providers at which a person has linked an account, in the order of linking. */
export async function listLinked(sql: Db, userId: number): Promise<string[]> {
  const rows = await sql<{ provider: string }[]>`
    select provider from linked_accounts where user_id = ${userId} order by created_at, provider limit 100`
  return rows.map(({ provider }) => provider)
}

export const insertLinked = (sql: Db, provider: string, subject: string, userId: number) => sql`
  insert into linked_accounts (provider, subject, user_id) values (${provider}, ${subject}, ${userId})`

/** Ends a link; false where there is none. */
export async function deleteLinked(sql: Db, provider: string, userId: number): Promise<boolean> {
  const { count } = await sql`
    delete from linked_accounts where provider = ${provider} and user_id = ${userId}`
  return count > 0
}

/** Keeps an account enabled until the transaction ends; false when it is not. */
export const holdEnabled = async (tx: Tx, userId: number): Promise<boolean> =>
  (await tx`${enabledUser(tx, userId)} for share`).length > 0

/** Ends all links of a person. */
export const unlinkAll = (sql: Db, userId: number) => sql`
  delete from linked_accounts where user_id = ${userId}`
