import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { AddRoute } from '#platform/http/route-options.ts'
import { language, type Server } from '#platform/http.ts'
import type { Static, TSchema } from '#platform/schema.ts'
import { switchedOff, tooMuch } from '../errors.ts'
import { orderView, pointsOrderView } from '../orders/view.ts'
import type { Currency } from '../schema.ts'
import { requireSwitch } from '../switches.ts'
import { ChargedRecharge, PointsRecharge, RechargeBody, WalletRecharge } from './schema.ts'
import { beginRecharge } from './service.ts'
import { rechargeOrder } from './view.ts'

type Made = Awaited<ReturnType<typeof beginRecharge>>

/** Orders to pay money in (money-9). */
export function rechargeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  /** Opens an order while its switch is on; `view` is what the client is shown of it. */
  const rechargeAt = <R extends TSchema>(
    operation: Parameters<AddRoute>[0],
    options: {
      operationId: string
      summary: string
      currency: Currency
      reply: R
      view(made: Made, spoken: ReturnType<typeof language>): Static<R>
    },
  ) =>
    route(operation, {
      operationId: options.operationId,
      summary: options.summary,
      access: 'user',
      body: RechargeBody,
      reply: { 201: options.reply as TSchema },
      errors: [switchedOff, tooMuch],
      load: () => requireSwitch(ctx, `${options.currency === 'points' ? 'currency' : 'wallet'}:recharge`),
      idempotent: true,
      handler: async ({ request, viewer, body, atomically }) => {
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          const made = await beginRecharge(tx, viewer.id, options.currency, body, settings)
          return options.view(made, language(request))
        })
      },
    })

  rechargeAt('POST /plus-pay/recharge', {
    operationId: 'createWalletRecharge',
    summary: 'Order a recharge of the wallet',
    currency: 'wallet',
    reply: WalletRecharge,
    view: ({ order, charge }, spoken) => ({
      order: orderView(rechargeOrder(order), spoken),
      pingpp_order: charge,
    }),
  })
  rechargeAt('POST /currency/recharge', {
    operationId: 'createPointsRecharge',
    summary: 'Order a recharge of points; `amount` is the money to pay',
    currency: 'points',
    reply: PointsRecharge,
    view: ({ order, charge }, spoken) => ({
      order: pointsOrderView(rechargeOrder(order), spoken),
      pingpp_order: charge,
    }),
  })
  rechargeAt('POST /wallet/recharge', {
    operationId: 'createWalletCharge',
    summary: 'Order a recharge of the wallet, in its earlier form',
    currency: 'wallet',
    reply: ChargedRecharge,
    view: ({ order, charge }) => ({ id: order.id, charge }),
  })
}
