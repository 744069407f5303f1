import type { Context } from '#platform/context.ts'
import { type AddRoute, language, routesOn, type Server, type Static, type TSchema } from '#platform/http'
import type { OrderRow } from '../orders/queries.ts'
import { orderView, pointsOrderView } from '../orders/view.ts'
import { type Currency, dailyLimit, featureOff, paymentUnavailable, tooMuch } from '../schema.ts'
import { requireSwitch } from '../switches.ts'
import type { RechargeRow } from './queries.ts'
import {
  type Begun,
  ChargedRecharge,
  PointsRecharge,
  prepareRecharge,
  RechargeBody,
  WalletRecharge,
} from './service.ts'

const STATES = { pending: 0, confirmed: 1, rejected: -1 } as const

/** A recharge as an order. */
const rechargeOrder = (row: RechargeRow): OrderRow => ({
  id: row.id,
  owner_id: row.owner_id,
  currency: row.currency,
  amount: row.credited,
  counterpart: 0,
  kind: 'recharge',
  subject_type: 'recharges',
  subject_id: row.id,
  title: null,
  body: row.remark,
  state: STATES[row.state],
  reference: row.reference,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Recharge routes (money-9). */
export function rechargeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  /** Opens an order while recharges are on. `view` builds the reply. */
  const rechargeAt = <R extends TSchema>(
    operation: Parameters<AddRoute>[0],
    options: {
      operationId: string
      summary: string
      currency: Currency
      reply: R
      view(made: Begun, spoken: ReturnType<typeof language>): Static<R>
    },
  ) =>
    route(operation, {
      operationId: options.operationId,
      summary: options.summary,
      access: 'user',
      body: RechargeBody,
      reply: { 201: options.reply as TSchema },
      errors: [featureOff, tooMuch, dailyLimit, paymentUnavailable],
      load: () => requireSwitch(ctx, `${options.currency === 'points' ? 'currency' : 'wallet'}:recharge`),
      idempotent: true,
      handler: async (call) => {
        const begin = await prepareRecharge(ctx, call, options.currency, call.body)
        return call.atomically(async (tx) => options.view(await begin(tx), language(call.request)))
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
    summary: 'Order a wallet recharge in the legacy format',
    currency: 'wallet',
    reply: ChargedRecharge,
    view: ({ order, charge }) => ({ id: order.id, charge }),
  })
}
