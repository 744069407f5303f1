import { wireTime } from '#lib/time.ts'
import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS, requireNotBlocked } from '#modules/accounts/index.ts'
import { type Currency, notEnough } from '#modules/ledger/index.ts'
import { hasEndpointFor, publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked, type Language, type Text } from '#platform/errors.ts'
import { language, localizedMessage, Message, payerOf, routesOn, type Server } from '#platform/http'
import type { NodeRow } from './queries.ts'
import {
  admitBuyer,
  buy,
  getNode,
  NodeParams,
  noSuchNode,
  ownNode,
  PaidNode,
  PayBody,
  paidAlready,
} from './service.ts'

const SUBJECTS: Record<string, Text> = {
  feed: { en: 'Post', zh: '购买动态' },
  'feed:comment': { en: 'Comment', zh: '评论动态' },
  file: { en: 'File', zh: '购买附件' },
  music: { en: 'Album', zh: '购买专辑' },
}
const BODIES: Record<string, Text> = {
  feed: { en: 'Pay to read the whole post.', zh: '购买后可查看完整动态。' },
  'feed:comment': { en: 'Pay to comment on the post.', zh: '购买后可评论该动态。' },
  file: { en: 'Pay to use the file.', zh: '购买后可使用该附件。' },
  music: { en: 'Pay to listen to the album.', zh: '购买后可收听该专辑。' },
}

/** A payment node in the client's language. */
const nodeView = (row: NodeRow, language: Language): PaidNode => ({
  id: row.id,
  channel: row.channel,
  raw: String(row.raw),
  subject: row.subject ?? SUBJECTS[row.channel]?.[language] ?? '',
  body: row.body ?? BODIES[row.channel]?.[language] ?? '',
  amount: row.amount,
  user_id: row.user_id,
  extra: row.extra,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  paid: row.paid,
})

const EVENT = 'purchase.created'

/** Routes of payment nodes and purchases (money-11, money-12). */
export function purchaseRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Purchases' })

  route('GET /purchases/:node', {
    operationId: 'getPaidNode',
    summary: 'Read the price of content and whether I paid',
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
      errors: [noSuchNode, ...PAYMENT_PASSWORD_ERRORS, ownNode, paidAlready, blocked, notEnough],
      load: async (arrival) => {
        const { params, viewer } = arrival
        const node = await getNode(sql, params.node, viewer.id)
        await checkPaymentPassword(ctx, payerOf(ctx, arrival))
        admitBuyer(node, viewer.id)
        await requireNotBlocked(sql, viewer.id, [node.user_id])
        return node
      },
      idempotent: true,
      handler: async ({ request, viewer: { id: buyer }, loaded: node, atomically }) => {
        const listened = await hasEndpointFor(ctx, sql, EVENT)
        return atomically(
          async (tx) => {
            await buy(tx, node, buyer, currency)
            if (listened)
              await publishEvent(ctx, tx, EVENT, {
                node: node.id,
                channel: node.channel,
                raw: node.raw,
                amount: node.amount,
                currency,
              })
            return localizedMessage(request, 'Paid.', '付费成功。')
          },
          { single: currency === 'points' && !listened },
        )
      },
    })
}
