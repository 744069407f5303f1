import { userViews } from '#modules/accounts/index.ts'
import type { Currency } from '#modules/ledger/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { checkedInAlready, checkinsOff, noReward } from './errors.ts'
import { findCheckins, insertCheckin } from './queries.ts'
import type { CheckinState } from './schema.ts'

/** 403 while the site has check-ins switched off; answers what one brings. */
export async function requireCheckins(ctx: Context): Promise<number> {
  const settings = await readSettings(ctx)
  if (!settings['checkin:switch']) throw checkinsOff()
  return settings['checkin:balance']
}

/** What a person sees of check-ins. */
export async function readCheckins(ctx: Context, userId: number): Promise<CheckinState> {
  const attach_balance = await requireCheckins(ctx)
  const { first, ...counts } = await findCheckins(ctx.sql, userId)
  const people = await userViews(ctx, ctx.sql, first, userId)
  return { rank_users: first.flatMap((id) => people.get(id) ?? []), ...counts, attach_balance }
}

/** Checks a person in, once a day (UTC), and pays the reward into one of their balances. */
export async function checkIn(sql: Db, userId: number, currency: Currency, amount: number): Promise<void> {
  if (amount === 0) throw noReward()
  if (!(await insertCheckin(sql, { userId, currency, amount }))) throw checkedInAlready()
}
