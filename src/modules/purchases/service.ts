import type { UnpaidKind } from '#modules/files/index.ts'
import { type Currency, withFunds } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { noSuchNode, ownNode, paidAlready } from './errors.ts'
import { findNode, findPrices, insertPurchase, type NodeRow } from './queries.ts'

/** What notifications call the content of a channel. */
const RESOURCES: Record<string, string> = { feed: 'feeds', music: 'music_specials' }

/** What can be bought, or 404. */
export async function getNode(sql: Db, id: number, viewerId: number): Promise<NodeRow> {
  const node = await findNode(sql, id, viewerId)
  if (!node) throw noSuchNode()
  return node
}

/** 422 for who has it: by publishing it, or by having paid. */
export function admitBuyer(node: NodeRow, buyerId: number): void {
  if (node.user_id === buyerId) throw ownNode()
  if (node.paid) throw paidAlready()
}

/** Buys a node, once. Whoever pays with the wallet is announced to the publisher (money-13). */
export async function buy(tx: Tx, node: NodeRow, userId: number, currency: Currency): Promise<void> {
  const bought = await withFunds(insertPurchase(tx, { nodeId: node.id, userId, currency }))
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

/** What the viewer would have to pay a file for; null when it is free or theirs. */
export async function findUnpaidFile(sql: Db, fileId: number, viewerId: number): Promise<UnpaidKind> {
  const node = (await findPrices(sql, 'file', [fileId], viewerId)).get(fileId)
  return node && !node.paid ? ((node.extra ?? 'download') as UnpaidKind) : null
}
