import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { orderView, pointsOrderView } from '../orders/view.ts'
import type { Currency } from '../schema.ts'
import { requireSwitch } from '../switches.ts'
import { ChargedRecharge, PointsRecharge, RechargeBody, WalletRecharge } from './schema.ts'
import { beginRecharge } from './service.ts'
import { rechargeOrder } from './view.ts'

const tags = ['Wallet and points']

/** Orders to pay money in (R §21.3). */
export function rechargeRoutes(server: Server, ctx: Context) {
  /** Opens an order while its switch is on; `view` is what the client is shown of it. */
  const recharge = (
    request: FastifyRequest,
    reply: FastifyReply,
    currency: Currency,
    view: (made: Awaited<ReturnType<typeof beginRecharge>>) => object,
  ) =>
    once(ctx, request, reply, async (atomically) => {
      await requireSwitch(ctx, `${currency === 'points' ? 'currency' : 'wallet'}:recharge`)
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        const body = request.body as RechargeBody
        const made = await beginRecharge(tx, viewerOf(request).id, currency, body, settings)
        return { status: 201, body: view(made) }
      })
    })

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
      recharge(request, reply, 'wallet', ({ order, charge }) => ({
        order: orderView(rechargeOrder(order), language(request)),
        pingpp_order: charge,
      })),
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
      recharge(request, reply, 'points', ({ order, charge }) => ({
        order: pointsOrderView(rechargeOrder(order), language(request)),
        pingpp_order: charge,
      })),
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
    (request, reply) => recharge(request, reply, 'wallet', ({ order, charge }) => ({ id: order.id, charge })),
  )
}
