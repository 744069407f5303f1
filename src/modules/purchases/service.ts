import type { UnpaidKind } from '#modules/files/index.ts'
import { type Currency, IN_EITHER, mapNotEnough } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Db, Tx } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Id, Nullable, RawText, Shared, type Static, Time, Type } from '#platform/http'
import { findNode, findPrices, insertPurchase, type NodeRow } from './queries.ts'

export const noSuchNode = apiError(404, 'no_such_node', 'There is nothing to buy here.', '付费节点不存在。')

export const paidAlready = apiError(
  422,
  'already_paid',
  'You have paid for this already.',
  '你已购买过该内容。',
)

/** Also 422 for the publisher, who needs no purchase. */
export const ownNode = apiError(
  422,
  'own_content',
  'You cannot buy what is yours.',
  '不能购买自己发布的内容。',
)

export const NodeParams = Type.Object({ node: Id })

/** `password`: payment password, when the site requires one (conventions-29). */
export const PayBody = Shared('Payment', { password: Type.Optional(RawText(128)) })

/** A payment node (money-11). */
export const PaidNode = Shared('PaidNode', {
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
export type PaidNode = Static<typeof PaidNode>

/** Names of a channel's content in notifications. */
const RESOURCES: Record<string, string> = { feed: 'feeds', 'feed:comment': 'feeds', music: 'music_specials' }

/** Finds a node or throws 404. */
export async function getNode(sql: Db, id: number, viewerId: number): Promise<NodeRow> {
  const node = await findNode(sql, id, viewerId)
  if (!node) throw noSuchNode()
  return node
}

/** Throws 422 when the viewer has published or already bought it. */
export function admitBuyer(node: NodeRow, buyerId: number): void {
  if (node.user_id === buyerId) throw ownNode()
  if (node.paid) throw paidAlready()
}

/** Buys a node once. Notifies the publisher of a purchase from the wallet (money-13). */
export async function buy(tx: Tx, node: NodeRow, userId: number, currency: Currency): Promise<void> {
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

/** Returns the price of a file for the viewer, or null when it is free or already accessible. */
export async function findUnpaidFile(sql: Db, fileId: number, viewerId: number): Promise<UnpaidKind> {
  const node = (await findPrices(sql, 'file', [fileId], viewerId)).get(fileId)
  return node && !node.paid ? ((node.extra ?? 'download') as UnpaidKind) : null
}
