import { wireTime } from '#lib/time.ts'
import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import type { UnpaidKind } from '#modules/files/index.ts'
import { type Currency, IN_EITHER, mapNotEnough, notEnough } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { requireNotBlocked } from '#modules/users/index.ts'
import { hasEndpointFor, publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import { apiError, blocked, type Language, type Text } from '#platform/errors.ts'
import {
  Id,
  language,
  localizedMessage,
  Message,
  Nullable,
  payerOf,
  RawText,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { findNode, findPrices, insertPurchase, type NodeRow, RESOURCES } from './queries.ts'

const noSuchNode = apiError(404, 'no_such_node', 'There is nothing to buy here.', '付费内容不存在。')

const paidAlready = apiError(422, 'already_paid', 'You have already paid for this.', '你已购买过该内容。')

const ownNode = apiError(422, 'own_content', 'You cannot buy your own content.', '不能购买自己发布的内容。')

const NodeParams = Type.Object({ node: Id })

const PayBody = Shared('Payment', { password: Type.Optional(RawText(128)) })

const PaidNode = Shared('PaidNode', {
  id: Type.Integer(),
  channel: Type.String({ description: 'feed, file or music' }),
  raw: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  amount: Type.Integer(IN_EITHER),
  user_id: Type.Integer(),
  extra: Nullable(Type.String({ description: 'For files: read, download or listen' })),
  created_at: Time,
  updated_at: Time,
  paid: Type.Boolean(),
})
type PaidNode = Static<typeof PaidNode>

async function getNode(sql: Db, id: number, viewerId: number): Promise<NodeRow> {
  const node = await findNode(sql, id, viewerId)
  if (!node) throw noSuchNode()
  return node
}

function admitBuyer(node: NodeRow, buyerId: number): void {
  if (node.user_id === buyerId) throw ownNode()
  if (node.paid) throw paidAlready()
}

/** Buys a node once. Notifies the seller only of wallet payments (money-13). */
async function buy(tx: Tx, node: NodeRow, userId: number, currency: Currency): Promise<void> {
  const bought = await mapNotEnough(insertPurchase(tx, { nodeId: node.id, userId, currency }))
  if (!bought) throw (await findNode(tx, node.id, userId)) ? paidAlready() : noSuchNode()
  if (currency !== 'wallet') return
  await notify(tx, {
    type: 'system',
    recipients: [node.user_id],
    senderId: userId,
    cause: { type: 'paid-nodes', id: node.id },
    data: {
      type: 'purchase',
      amount: node.amount,
      channel: node.channel,
      raw: node.raw,
      resource: { type: RESOURCES[node.channel] ?? 'paid-nodes', id: node.raw },
    },
  })
}

/**
 * Returns the kind of access to a file for which the viewer has yet to pay. Null for free, paid or own files.
 */
export async function findUnpaidFile(sql: Db, fileId: number, viewerId: number): Promise<UnpaidKind> {
  const node = (await findPrices(sql, 'file', [fileId], viewerId)).get(fileId)
  return node && !node.paid ? ((node.extra ?? 'download') as UnpaidKind) : null
}

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
