import type { Currency } from '#modules/ledger/index.ts'
import { isListenedTo, publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { language, type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Message } from '#platform/schema.ts'
import { noSuchNode } from './errors.ts'
import { findNode } from './queries.ts'
import { NodeParams, PaidNode, PayBody } from './schema.ts'
import { admitBuyer, buy } from './service.ts'
import { nodeView } from './view.ts'

const tags = ['Purchases']
const EVENT = 'purchase.created'

/** Payment nodes (specification 4.8). */
export function purchaseRoutes(server: Server, ctx: Context) {
  server.get(
    '/purchases/:node',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'What something costs, and whether I have paid',
        params: NodeParams,
        response: { 200: PaidNode },
      },
    },
    async (request) => {
      const node = await findNode(ctx.sql, request.params.node, viewerOf(request).id)
      if (!node) throw noSuchNode()
      return nodeView(node, language(request))
    },
  )

  const ways = [
    ['/purchases/:node', 'wallet', 'Pay with the wallet'],
    ['/currency/purchases/:node', 'points', 'Pay with points'],
  ] as const satisfies [string, Currency, string][]
  for (const [path, currency, summary] of ways)
    server.post(
      path,
      {
        config: { access: 'user', before: (request, reply) => admitBuyer(ctx, request, reply) },
        schema: { tags, summary, params: NodeParams, body: PayBody, response: { 201: Message } },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const node = await admitBuyer(ctx, request, reply)
          const listened = await isListenedTo(ctx, ctx.sql, EVENT)
          return atomically(
            async (tx) => {
              const { id: buyer } = viewerOf(request)
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
              return { status: 201, body: say(request, 'Paid.', '付费成功。') }
            },
            { single: currency === 'points' && !listened },
          )
        }),
    )
}
