import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { findUserRows } from '../users/queries.ts'
import { userView } from '../users/view.ts'
import { findPrivateRow } from './queries.ts'
import type { Balances, PrivateUser } from './schema.ts'

/** Amounts in the shapes that clients read. */
export function balancesView(
  userId: number,
  { wallet = 0, income = 0, expenses = 0, points = 0 } = {},
): Balances {
  return {
    wallet: { id: userId, user_id: userId, balance: wallet },
    new_wallet: { owner_id: userId, balance: wallet, total_income: income, total_expenses: expenses },
    currency: { owner_id: userId, type: 1, sum: points },
  }
}

/** What a person owns, as `GET /user` shows it. */
export type PrivateExtras = (userId: number) => Promise<Balances> | Balances

/** A person as they see themselves. */
export async function privateUser(
  ctx: Context,
  userId: number,
  extras: PrivateExtras = balancesView,
): Promise<PrivateUser> {
  const [[row], own, balances] = await Promise.all([
    findUserRows(ctx.sql, [userId], userId, false),
    findPrivateRow(ctx.sql, userId),
    extras(userId),
  ])
  if (!row || !own) throw notFound()
  return { ...userView(ctx, row), ...own, ...balances }
}
