import type { Context } from '#platform/context.ts'
import type { Text } from '#platform/errors.ts'
import { type AddRoute, language, routesOn, type Server, type Static, type TSchema } from '#platform/http'
import { type OrderRow, orderView, pointsOrderView } from '../orders/queries.ts'
import { queryPaymentOnReturn } from '../payments/service.ts'
import {
  type Currency,
  dailyLimit,
  featureOff,
  noSuchOrder,
  otherAmount,
  paymentUnavailable,
  requireSwitch,
  tooMuch,
} from '../schema.ts'
import { readLedgerSettings } from '../settings.ts'
import type { RechargeRow } from './queries.ts'
import {
  type Begun,
  ChargedRecharge,
  getCheckedRecharge,
  NativeRecharge,
  NativeRechargeBody,
  PointsRecharge,
  PointsSettings,
  prepareRecharge,
  RechargeBody,
  RechargeCheck,
  RechargeState,
  WalletRecharge,
} from './service.ts'

const STATES = { pending: 0, confirmed: 1, rejected: -1 } as const

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

export function rechargeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

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

const ORDERED: Text = { en: 'Ordered.', zh: '订单创建成功。' }
const ORDER_STATES: Record<RechargeRow['state'], { status: 200 | 202; text: Text }> = {
  pending: { status: 202, text: { en: 'The payment is being processed.', zh: '充值处理中。' } },
  confirmed: { status: 200, text: { en: 'The payment was credited.', zh: '充值成功。' } },
  rejected: { status: 200, text: { en: 'The payment failed.', zh: '充值失败。' } },
}

export function rechargeOrderRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  const rechargesAt = (path: string, name: string, currency: Currency) => {
    route(`POST ${path}/orders`, {
      operationId: `order${name}Recharge`,
      summary: `Order a recharge of ${currency === 'wallet' ? 'the wallet' : 'points'}, as mobile clients do`,
      access: 'user',
      body: NativeRechargeBody,
      reply: { 201: NativeRecharge },
      errors: [featureOff, tooMuch, dailyLimit, paymentUnavailable],
      load: () => requireSwitch(ctx, currency === 'points' ? 'currency:recharge' : 'wallet:recharge'),
      idempotent: true,
      handler: async (call) => {
        const begin = await prepareRecharge(ctx, call, currency, call.body)
        return call.atomically(async (tx) => {
          const { order, charge } = await begin(tx)
          return { message: ORDERED[language(call.request)], data: charge, out_trade_no: String(order.id) }
        })
      },
    })

    route(`POST ${path}/checkOrders`, {
      operationId: `check${name}Recharge`,
      summary: 'Check the state of a recharge of mine',
      access: 'user',
      body: RechargeCheck,
      reply: { 200: RechargeState, 202: RechargeState },
      errors: [noSuchOrder, otherAmount],
      handler: async ({ request, viewer, body, reply }) => {
        const asked = await getCheckedRecharge(ctx.sql, viewer.id, currency, body)
        if (asked.state === 'pending') await queryPaymentOnReturn(ctx, asked.id)
        const { state } =
          asked.state === 'pending' ? await getCheckedRecharge(ctx.sql, viewer.id, currency, body) : asked
        const { status, text } = ORDER_STATES[state]
        return reply.code(status).send({ message: text[language(request)] })
      },
    })
  }
  rechargesAt('/walletRecharge', 'Wallet', 'wallet')
  rechargesAt('/currencyRecharge', 'Points', 'points')

  route('GET /currency', {
    operationId: 'getPointsSettings',
    summary: 'Read the bounds and rules of points',
    access: 'user',
    reply: { 200: PointsSettings },
    handler: async () => {
      const settings = await readLedgerSettings(ctx)
      return {
        'recharge-ratio': settings['currency:recharge-ratio'],
        'recharge-options': settings['currency:recharge-options'],
        'recharge-max': settings['currency:recharge-max'],
        'recharge-min': settings['currency:recharge-min'],
        'cash-max': settings['currency:cash-max'],
        'cash-min': settings['currency:cash-min'],
        rule: settings['currency:rule'],
        cash: settings['wallet:cash-types'],
        'recharge-type': settings['wallet:recharge-types'],
      }
    },
  })
}
