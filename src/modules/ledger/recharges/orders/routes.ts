import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Text } from '#platform/errors.ts'
import { language, routesOn, type Server } from '#platform/http'
import { askOnReturn } from '../../payments/service.ts'
import type { Currency } from '../../schema.ts'
import {
  dailyLimit,
  featureOff,
  noSuchOrder,
  otherAmount,
  paymentUnavailable,
  tooMuch,
} from '../../schema.ts'
import { requireSwitch } from '../../switches.ts'
import type { RechargeRow } from '../queries.ts'
import {
  getCheckedRecharge,
  NativeRecharge,
  NativeRechargeBody,
  PointsSettings,
  prepareRecharge,
  RechargeCheck,
  RechargeState,
} from '../service.ts'

const ORDERED: Text = { en: 'Ordered.', zh: '订单创建成功' }
/** Message and client status for each state. */
const STATES: Record<RechargeRow['state'], { status: 200 | 202; text: Text }> = {
  pending: { status: 202, text: { en: 'The payment is being processed.', zh: '充值处理中' } },
  confirmed: { status: 200, text: { en: 'The payment was credited.', zh: '充值成功' } },
  rejected: { status: 200, text: { en: 'The payment failed.', zh: '充值失败' } },
}

/** Recharge routes of mobile clients (money-19), and the settings of points. */
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
        if (asked.state === 'pending') await askOnReturn(ctx, asked.id)
        const { state } =
          asked.state === 'pending' ? await getCheckedRecharge(ctx.sql, viewer.id, currency, body) : asked
        const { status, text } = STATES[state]
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
      const settings = await readSettings(ctx)
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
