import { balancesOf } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { findUserRows } from '../users/queries.ts'
import { userView } from '../users/view.ts'
import { findPrivateRow } from './queries.ts'
import type { Balances, PrivateUser } from './schema.ts'

/** Amounts in the shapes that clients read. */
function balancesView(
  userId: number,
  { wallet, income, expenses, points }: Awaited<ReturnType<typeof balancesOf>>,
): Balances {
  return {
    wallet: { id: userId, user_id: userId, balance: wallet },
    new_wallet: { owner_id: userId, balance: wallet, total_income: income, total_expenses: expenses },
    currency: { owner_id: userId, type: 1, sum: points },
  }
}

/** A person as they see themselves. */
export async function privateUser(ctx: Context, userId: number): Promise<PrivateUser> {
  const [[row], own, balances] = await Promise.all([
    findUserRows(ctx.sql, [userId], userId, false),
    findPrivateRow(ctx.sql, userId),
    balancesOf(ctx.sql, userId),
  ])
  if (!row || !own) throw notFound()
  return { ...userView(ctx, row), ...own, ...balancesView(userId, balances) }
}
