import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Arrival } from '#platform/http/route-options.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { Message, type TSchema, Type } from '#platform/schema.ts'
import { notEnoughAmount, notEnoughValue, switchedOff } from '../errors.ts'
import type { People } from '../people.ts'
import { requireSwitch } from '../switches.ts'
import { listWithdrawals } from './queries.ts'
import { Cash, CashBody, CashQuery, PointsCashBody } from './schema.ts'
import { withdrawMoney, withdrawPoints } from './service.ts'
import { cashView } from './view.ts'

/** Requests to take money or points out (money-10), which ask for the payment password. */
export const withdrawalRoutes = (people: People) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })
  const admit = async (arrival: Arrival<'user', TSchema>, name: 'wallet:cash' | 'currency:cash') => {
    await people.checkPassword(ctx, payerOf(ctx, arrival))
    await requireSwitch(ctx, name)
  }

  route('GET /plus-pay/cashes', {
    operationId: 'listWithdrawals',
    summary: 'List my withdrawals, newest first',
    access: 'user',
    query: CashQuery,
    reply: { 200: Type.Array(Cash) },
    aliases: { listWithdrawalsByOldPath: '/wallet/cashes' },
    handler: async ({ viewer, query: { after = 0, limit = 15 } }) =>
      (await listWithdrawals(ctx.sql, viewer.id, after, limit)).map(cashView),
  })

  route('POST /plus-pay/cashes', {
    operationId: 'createWithdrawal',
    summary: 'Ask for wallet money to be paid out',
    access: 'user',
    body: CashBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, switchedOff, notEnoughValue],
    aliases: { createWithdrawalByOldPath: '/wallet/cashes' },
    load: (arrival) => admit(arrival, 'wallet:cash'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        await withdrawMoney(tx, viewer.id, body, settings)
        return say(request, 'Your withdrawal is being reviewed.', '提现申请已提交。')
      })
    },
  })

  route('POST /currency/cash', {
    operationId: 'createPointsWithdrawal',
    summary: 'Ask for points to become wallet money',
    access: 'user',
    body: PointsCashBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, switchedOff, notEnoughAmount],
    load: (arrival) => admit(arrival, 'currency:cash'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        await withdrawPoints(tx, viewer.id, body.amount, settings)
        return say(request, 'Your withdrawal is being reviewed.', '提取申请已提交。')
      })
    },
  })
}
