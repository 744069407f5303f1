import type { Tx } from '#platform/database'
import { moveFunds } from './movements.ts'
import { type Currency, type Movement, PLATFORM_ACCOUNTS } from './schema.ts'
import { decideWithdrawal } from './withdrawals.ts'

const listBalances = (tx: Tx, ownerIds: number[]) => tx<
  { owner_id: number; currency: Currency; balance: number }[]
>`
  select owner_id, currency, balance from ledger_accounts
  where owner_id = any(${ownerIds}) and balance > 0 order by owner_id, currency`

async function listWaiting(tx: Tx, ownerId: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id from withdrawals where owner_id = ${ownerId} and state = 'pending' order by id`
  return rows.map(({ id }) => id)
}

const eraseAddresses = (tx: Tx, ownerId: number) => tx`
  update withdrawals set account = '' where owner_id = ${ownerId} and account <> ''`

/** Removes what others wrote about an order, and the accounts that it names. Amounts and numbers stay. */
const eraseEarlierOrders = (tx: Tx, ownerId: number) => tx`
  update earlier_orders set title = '', body = null, target_id = '' where owner_id = ${ownerId}`

export async function returnWithdrawals(tx: Tx, ownerId: number): Promise<void> {
  for (const id of await listWaiting(tx, ownerId))
    await decideWithdrawal(tx, id, { passed: false, remark: null, by: 0 })
  await eraseAddresses(tx, ownerId)
  await eraseEarlierOrders(tx, ownerId)
}

export async function forfeitBalances(tx: Tx, ownerIds: number[]): Promise<void> {
  if (ownerIds.length === 0) return
  const movements = (await listBalances(tx, ownerIds)).map(
    ({ owner_id: from, currency, balance: amount }): Movement => ({
      currency,
      from,
      to: PLATFORM_ACCOUNTS.income,
      amount,
      kind: 'deletion',
      subject: { type: 'users', id: from },
    }),
  )
  await moveFunds(tx, movements)
}
