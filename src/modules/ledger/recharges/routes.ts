import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { orderView, pointsOrderView } from '../orders/view.ts'
import { requireSwitch } from '../switches.ts'
import { ChargedRecharge, PointsRecharge, RechargeBody, WalletRecharge } from './schema.ts'
import { beginRecharge } from './service.ts'
import { rechargeOrder } from './view.ts'

const tags = ['Wallet and points']

/** Orders to pay money in (R §21.3). */
export function rechargeRoutes(server: Server, ctx: Context) {
  server.post(
    '/plus-pay/recharge',
    {
      config: { access: 'user', before: () => requireSwitch(ctx, 'wallet:recharge') },
      schema: {
        tags,
        summary: 'Order a recharge of the wallet',
        body: RechargeBody,
        response: { 201: WalletRecharge },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await requireSwitch(ctx, 'wallet:recharge')
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          const made = await beginRecharge(tx, viewerOf(request).id, 'wallet', request.body, settings)
          const order = orderView(rechargeOrder(made.order), language(request))
          return { status: 201, body: { order, pingpp_order: made.charge } }
        })
      }),
  )

  server.post(
    '/currency/recharge',
    {
      config: { access: 'user', before: () => requireSwitch(ctx, 'currency:recharge') },
      schema: {
        tags,
        summary: 'Order a recharge of points; `amount` is the money to pay',
        body: RechargeBody,
        response: { 201: PointsRecharge },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await requireSwitch(ctx, 'currency:recharge')
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          const made = await beginRecharge(tx, viewerOf(request).id, 'points', request.body, settings)
          const order = pointsOrderView(rechargeOrder(made.order), language(request))
          return { status: 201, body: { order, pingpp_order: made.charge } }
        })
      }),
  )

  server.post(
    '/wallet/recharge',
    {
      config: { access: 'user', before: () => requireSwitch(ctx, 'wallet:recharge') },
      schema: {
        tags,
        summary: 'Order a recharge of the wallet, in its earlier form',
        body: RechargeBody,
        response: { 201: ChargedRecharge },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await requireSwitch(ctx, 'wallet:recharge')
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          const made = await beginRecharge(tx, viewerOf(request).id, 'wallet', request.body, settings)
          return { status: 201, body: { id: made.order.id, charge: made.charge } }
        })
      }),
  )
}
