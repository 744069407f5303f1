import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { language, routesOn, type Server, Type } from '#platform/http'
import { findBalance } from '../movements.ts'
import type { Currency } from '../schema.ts'
import { readLedgerSettings } from '../settings.ts'
import {
  Charge,
  ChargeParams,
  ChargeQuery,
  chargeView,
  findOrder,
  listOrders,
  OrderParams,
  orderView,
  PointsOrder,
  PointsOrderQuery,
  pointsOrderView,
  WalletInfo,
  WalletOrder,
  WalletOrderQuery,
} from './queries.ts'

export function orderRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })
  const getOrder = async (ownerId: number, currency: Currency, id: number) => {
    const row = await findOrder(sql, ownerId, currency, id)
    if (!row) throw notFound()
    return row
  }

  route('GET /currency/orders', {
    operationId: 'listPointsOrders',
    summary: 'List my point transactions, newest first',
    access: 'user',
    query: PointsOrderQuery,
    reply: { 200: Type.Array(PointsOrder) },
    handler: async ({ request, viewer, query: { after = 0, limit = 15, type, action } }) => {
      const rows = await listOrders(sql, viewer.id, {
        currency: 'points',
        after,
        limit,
        direction: type && (type === '1' ? 1 : -1),
        kind: action && (action === 'cash' ? 'withdrawal' : 'recharge'),
      })
      return rows.map((row) => pointsOrderView(row, language(request)))
    },
  })

  route('GET /currency/orders/:order', {
    operationId: 'getPointsOrder',
    summary: 'Read a point transaction or recharge of mine',
    access: 'user',
    params: OrderParams,
    reply: { 200: PointsOrder },
    handler: async ({ request, viewer, params }) =>
      pointsOrderView(await getOrder(viewer.id, 'points', params.order), language(request)),
  })

  route('GET /plus-pay/orders', {
    operationId: 'listWalletOrders',
    summary: 'List my wallet transactions, newest first',
    access: 'user',
    query: WalletOrderQuery,
    reply: { 200: Type.Array(WalletOrder) },
    handler: async ({ request, viewer, query: { after = 0, limit = 15, type, action } }) => {
      const incoming = action === 'income' || type === '1'
      const outgoing = action === 'expenses' || type === '-1'
      const rows = await listOrders(sql, viewer.id, {
        currency: 'wallet',
        after,
        limit,
        direction: incoming === outgoing ? undefined : incoming ? 1 : -1,
      })
      return rows.map((row) => orderView(row, language(request)))
    },
  })

  route('GET /plus-pay/orders/:order', {
    operationId: 'getWalletOrder',
    summary: 'Read a wallet transaction or recharge of mine',
    access: 'user',
    params: OrderParams,
    reply: { 200: WalletOrder },
    handler: async ({ request, viewer, params }) =>
      orderView(await getOrder(viewer.id, 'wallet', params.order), language(request)),
  })

  route('GET /wallet', {
    operationId: 'getWallet',
    summary: 'Read my wallet and its rules',
    access: 'user',
    reply: { 200: WalletInfo },
    handler: async ({ viewer }) => {
      const [settings, balance] = await Promise.all([
        readLedgerSettings(ctx),
        findBalance(sql, viewer.id, 'wallet'),
      ])
      return {
        balance,
        labels: settings['wallet:labels'],
        ratio: settings['wallet:ratio'],
        rule: settings['wallet:rule'],
        cash: settings['wallet:cash-types'],
        recharge_type: settings['wallet:recharge-types'],
      }
    },
  })

  route('GET /wallet/charges', {
    operationId: 'listWalletCharges',
    summary: 'List my wallet transactions in the legacy format',
    access: 'user',
    query: ChargeQuery,
    reply: { 200: Type.Array(Charge) },
    handler: async ({ request, viewer, query: { after = 0, limit = 15, action } }) => {
      const rows = await listOrders(sql, viewer.id, {
        currency: 'wallet',
        after,
        limit,
        direction: action && (action === '1' ? 1 : -1),
      })
      return rows.map((row) => chargeView(row, language(request)))
    },
  })

  route('GET /wallet/charges/:charge', {
    operationId: 'getWalletCharge',
    summary: 'Read a wallet transaction of mine in the legacy format',
    access: 'user',
    params: ChargeParams,
    reply: { 200: Charge },
    handler: async ({ request, viewer, params }) =>
      chargeView(await getOrder(viewer.id, 'wallet', params.charge), language(request)),
  })
}
