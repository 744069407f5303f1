import type { Tx } from '#platform/database.ts'
import { move } from '../movements/service.ts'
import { type Movement, PLATFORM } from '../schema.ts'
import { decideWithdrawal } from '../withdrawals/service.ts'
import { eraseAddresses, listBalances, listWaiting } from './queries.ts'

/** Gives back what somebody who leaves wanted to be paid out, and erases where to. */
export async function returnWithdrawals(tx: Tx, ownerId: number): Promise<void> {
  for (const id of await listWaiting(tx, ownerId))
    await decideWithdrawal(tx, id, { passed: false, remark: null, by: 0 })
  await eraseAddresses(tx, ownerId)
}

/** Makes what people own who left the income of the site. */
export async function forfeitBalances(tx: Tx, ownerIds: number[]): Promise<void> {
  if (ownerIds.length === 0) return
  const movements = (await listBalances(tx, ownerIds)).map(
    ({ owner_id: from, currency, balance: amount }): Movement => ({
      currency,
      from,
      to: PLATFORM.income,
      amount,
      kind: 'deletion',
      subject: { type: 'users', id: from },
    }),
  )
  await move(tx, movements)
}
