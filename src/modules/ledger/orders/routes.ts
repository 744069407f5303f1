import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { findBalance } from '../movements/service.ts'
import { findOrder, listOrders } from './queries.ts'
import {
  Charge,
  ChargeParams,
  ChargeQuery,
  OrderParams,
  PointsOrder,
  PointsOrderQuery,
  WalletInfo,
  WalletOrder,
  WalletOrderQuery,
} from './schema.ts'
import { chargeView, orderView, pointsOrderView } from './view.ts'

const tags = ['Wallet and points']

/** My movements of points and of the wallet, in the forms that clients know (R §21.3). */
export function orderRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/currency/orders',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My movements of points, newest first',
        querystring: PointsOrderQuery,
        response: { 200: Type.Array(PointsOrder) },
      },
    },
    async (request) => {
      const { after = 0, limit = 15, type, action } = request.query
      const rows = await listOrders(sql, viewerOf(request).id, {
        currency: 'points',
        after,
        limit,
        direction: type && (type === '1' ? 1 : -1),
        kind: action && (action === 'cash' ? 'withdrawal' : 'recharge'),
      })
      return rows.map((row) => pointsOrderView(row, language(request)))
    },
  )

  server.get(
    '/currency/orders/:order',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'One of my movements of points, or a recharge',
        params: OrderParams,
        response: { 200: PointsOrder },
      },
    },
    async (request) => {
      const row = await findOrder(sql, viewerOf(request).id, 'points', request.params.order)
      if (!row) throw notFound()
      return pointsOrderView(row, language(request))
    },
  )

  server.get(
    '/plus-pay/orders',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My movements of the wallet, newest first',
        querystring: WalletOrderQuery,
        response: { 200: Type.Array(WalletOrder) },
      },
    },
    async (request) => {
      const { after = 0, limit = 15, type, action } = request.query
      const incoming = action === 'income' || type === '1'
      const outgoing = action === 'expenses' || type === '-1'
      const rows = await listOrders(sql, viewerOf(request).id, {
        currency: 'wallet',
        after,
        limit,
        direction: incoming === outgoing ? undefined : incoming ? 1 : -1,
      })
      return rows.map((row) => orderView(row, language(request)))
    },
  )

  server.get(
    '/plus-pay/orders/:order',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'One of my movements of the wallet, or a recharge',
        params: OrderParams,
        response: { 200: WalletOrder },
      },
    },
    async (request) => {
      const row = await findOrder(sql, viewerOf(request).id, 'wallet', request.params.order)
      if (!row) throw notFound()
      return orderView(row, language(request))
    },
  )

  server.get(
    '/wallet',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'My wallet and its rules', response: { 200: WalletInfo } },
    },
    async (request) => {
      const [settings, balance] = await Promise.all([
        readSettings(ctx),
        findBalance(sql, viewerOf(request).id, 'wallet'),
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
  )

  server.get(
    '/wallet/charges',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My movements of the wallet, in their earlier form',
        querystring: ChargeQuery,
        response: { 200: Type.Array(Charge) },
      },
    },
    async (request) => {
      const { after = 0, limit = 15, action } = request.query
      const rows = await listOrders(sql, viewerOf(request).id, {
        currency: 'wallet',
        after,
        limit,
        direction: action && (action === '1' ? 1 : -1),
      })
      return rows.map((row) => chargeView(row, language(request)))
    },
  )

  server.get(
    '/wallet/charges/:charge',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'One of my movements of the wallet, in its earlier form',
        params: ChargeParams,
        response: { 200: Charge },
      },
    },
    async (request) => {
      const row = await findOrder(sql, viewerOf(request).id, 'wallet', request.params.charge)
      if (!row) throw notFound()
      return chargeView(row, language(request))
    },
  )
}
