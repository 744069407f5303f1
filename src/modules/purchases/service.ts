import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import type { UnpaidKind } from '#modules/files/index.ts'
import { type Currency, withFunds } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { payerOf, viewerOf } from '#platform/http.ts'
import { noSuchNode, ownNode, paidAlready } from './errors.ts'
import { findNode, findPrices, insertPurchase, type NodeRow } from './queries.ts'

/** What notifications call the things of a channel. */
const RESOURCES: Record<string, string> = { feed: 'feeds', music: 'music_specials' }

/** A node for its buyer, with the checks that need no body: 404, 403 on the password, 422 for who has it. */
export async function admitBuyer(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<NodeRow> {
  const { id } = viewerOf(request)
  const node = await findNode(ctx.sql, (request.params as { node: number }).node, id)
  if (!node) throw noSuchNode()
  await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
  if (node.user_id === id) throw ownNode()
  if (node.paid) throw paidAlready()
  return node
}

/** Buys a node, once. Whoever pays with the wallet is announced to the publisher (R §9.2). */
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
