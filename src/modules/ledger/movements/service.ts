import { isAmount } from '#lib/money.ts'
import { type Db, onConstraint } from '#platform/database.ts'
import { notEnough } from '../errors.ts'
import type { Currency, Movement } from '../schema.ts'
import { findBalances, insertMovements, type Posted } from './queries.ts'

/** Turns the refusal of a payer without enough into an error: 403 unless another is given. */
export const withFunds = <T>(query: PromiseLike<T>, error: () => Error = notEnough): Promise<T> =>
  onConstraint(query, { ledger_accounts_not_negative: error, ledger_postings_funded: error })

/**
 * Moves money, in the transaction that writes what it is paid for. All movements of one call are one transaction of the
 * ledger; who has several to make in one database transaction makes them in one call, which locks in the right order.
 */
export async function move(
  tx: Db,
  movements: Movement | Movement[],
  insufficient: () => Error = notEnough,
): Promise<Posted[]> {
  const list = [movements].flat()
  if (list.length === 0) return []
  for (const { amount, from, to } of list) {
    if (!isAmount(amount)) throw new RangeError(`${amount} is not an amount`)
    if (from === to) throw new RangeError('a movement needs two accounts')
  }
  return withFunds(insertMovements(tx, list), insufficient)
}

/** The balance of one account of a person. */
export async function findBalance(sql: Db, ownerId: number, currency: Currency): Promise<number> {
  const rows = await findBalances(sql, ownerId)
  return rows.find((row) => row.currency === currency)?.balance ?? 0
}

/** What a person owns in both currencies, with all that came in and went out of the wallet. */
export async function balancesOf(
  sql: Db,
  ownerId: number,
): Promise<{ points: number; wallet: number; income: number; expenses: number }> {
  const rows = await findBalances(sql, ownerId)
  const of = (currency: Currency) => rows.find((row) => row.currency === currency)
  const wallet = of('wallet')
  return {
    points: of('points')?.balance ?? 0,
    wallet: wallet?.balance ?? 0,
    income: wallet?.income ?? 0,
    expenses: wallet?.expenses ?? 0,
  }
}
