import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { type Currency, notEnough } from '#modules/ledger/index.ts'
import { isListenedTo, publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, payerOf, type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { noSuchNode, ownNode, paidAlready } from './errors.ts'
import { NodeParams, PaidNode, PayBody } from './schema.ts'
import { admitBuyer, buy, getNode } from './service.ts'
import { nodeView } from './view.ts'

const EVENT = 'purchase.created'

/** What costs something: its price, and paying it (money-11, money-12). */
export function purchaseRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Purchases' })

  route('GET /purchases/:node', {
    operationId: 'getPaidNode',
    summary: 'What something costs, and whether I have paid',
    access: 'user',
    params: NodeParams,
    reply: { 200: PaidNode },
    errors: [noSuchNode],
    handler: async ({ request, params, viewer }) =>
      nodeView(await getNode(sql, params.node, viewer.id), language(request)),
  })

  const ways = [
    ['POST /purchases/:node', 'buyWithWallet', 'wallet', 'Pay with the wallet'],
    ['POST /currency/purchases/:node', 'buyWithPoints', 'points', 'Pay with points'],
  ] as const satisfies [string, string, Currency, string][]
  for (const [operation, operationId, currency, summary] of ways)
    route(operation, {
      operationId,
      summary,
      access: 'user',
      params: NodeParams,
      body: PayBody,
      reply: { 201: Message },
      errors: [noSuchNode, ...PAYMENT_PASSWORD_ERRORS, ownNode, paidAlready, notEnough],
      load: async (arrival) => {
        const { params, viewer } = arrival
        const node = await getNode(sql, params.node, viewer.id)
        await checkPaymentPassword(ctx, payerOf(ctx, arrival))
        admitBuyer(node, viewer.id)
        return node
      },
      idempotent: true,
      handler: async ({ request, viewer: { id: buyer }, loaded: node, atomically }) => {
        const listened = await isListenedTo(ctx, sql, EVENT)
        return atomically(
          async (tx) => {
            await buy(tx, node, buyer, currency)
            if (listened)
              await publishEvent(ctx, tx, EVENT, {
                node: node.id,
                channel: node.channel,
                raw: node.raw,
                user_id: buyer,
                amount: node.amount,
                currency,
              })
            return say(request, 'Paid.', '付费成功。')
          },
          { single: currency === 'points' && !listened },
        )
      },
    })
}
