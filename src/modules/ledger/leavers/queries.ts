import type { Tx } from '#platform/database.ts'
import type { Currency } from '../schema.ts'

/** What these people own, in the order in which accounts are locked. */
export const listBalances = (tx: Tx, ownerIds: number[]) => tx<
  { owner_id: number; currency: Currency; balance: number }[]
>`
  select owner_id, currency, balance from ledger_accounts
  where owner_id = any(${ownerIds}) and balance > 0 order by owner_id, currency`

/** What somebody asked to be paid out and nobody has decided on. */
export async function listWaiting(tx: Tx, ownerId: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id from withdrawals where owner_id = ${ownerId} and state = 'pending' order by id`
  return rows.map(({ id }) => id)
}

/** Erases where money of somebody was to be paid to. */
export const eraseAddresses = (tx: Tx, ownerId: number) => tx`
  update withdrawals set account = '' where owner_id = ${ownerId} and account <> ''`
