import type { Target } from '#contracts/content.ts'
import { cutText } from '#lib/text.ts'
import { amountOf, featureOff, IN_EITHER } from '#modules/ledger/index.ts'
import {
  addPrice,
  closeSales,
  findPrices,
  type NodeRow,
  type Price,
  setPrices,
} from '#modules/purchases/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { apiError, invalidField, unpaidError } from '#platform/errors.ts'
import { localizedMessage, routesOn, type Server, Shared, Type } from '#platform/http'
import { FEED_COMMENT, findImages, findTarget, liveFeed } from './queries.ts'
import { FeedParams, type NewFeed, noSuchFeed } from './schema.ts'
import { readFeedSettings } from './settings.ts'

const FEED = 'feed'
const FILE = 'file'

export const findFeedPrices = (sql: Db, ids: number[], viewerId: number): Promise<Map<number, NodeRow>> =>
  findPrices(sql, FEED, ids, viewerId)

export const findFilePrices = (sql: Db, ids: number[], viewerId: number): Promise<Map<number, NodeRow>> =>
  findPrices(sql, FILE, ids, viewerId)

/** Cuts a paid text to its free preview (feeds-10). */
export async function freePart(ctx: Context, content: string | null | undefined): Promise<string | null> {
  if (content === null || content === undefined) return null
  return cutText(content, (await readFeedSettings(ctx))['feed:pay-word-limit'])
}

const kindMissing = (position: number) =>
  invalidField(`images.${position}.type`, {
    en: 'A picture with an amount needs a type: read or download.',
    zh: '付费图片的类型必须是 read 或 download。',
  })

/** Throws 403 while paid feeds are disabled, and 422 for a priced picture without a type. */
export async function requirePricing(ctx: Context, { images = [] }: NewFeed): Promise<void> {
  if (!(await readFeedSettings(ctx))['feed:paycontrol']) throw featureOff()
  const incomplete = images.findIndex(({ amount = 0, type }) => amount > 0 && type === undefined)
  if (incomplete >= 0) throw kindMissing(incomplete)
}

export async function setPricesOfFeed(
  tx: Tx,
  userId: number,
  feedId: number,
  { amount = 0, images = [] }: NewFeed,
): Promise<void> {
  const prices: Price[] = images.flatMap(({ id: raw, amount: price = 0, type: extra = null }) =>
    price > 0 ? [{ channel: FILE, raw, amount: price, userId, extra }] : [],
  )
  if (amount > 0) prices.push({ channel: FEED, raw: feedId, amount, userId })
  await setPrices(tx, prices)
}

export async function closeSalesOfFeed(tx: Tx, feedId: number, closed: boolean): Promise<void> {
  await closeSales(tx, FEED, [feedId], closed)
  await closeSales(tx, FEED_COMMENT, [feedId], closed)
  const images = await findImages(tx, [feedId])
  await closeSales(
    tx,
    FILE,
    images.map(({ file }) => file),
    closed,
  )
}

/** Returns undefined when the feed already has a comment price (feeds-41). */
async function setCommentPrice(
  ctx: Context,
  tx: Tx,
  userId: number,
  feedId: number,
  amount: number,
): Promise<number | undefined> {
  if (!(await readFeedSettings(ctx))['feed:paycontrol']) throw featureOff()
  // Locks the feed. Otherwise a concurrent deletion could miss the new price and leave it for sale.
  if ((await tx`${liveFeed(tx, feedId)} for no key update`).length === 0) throw noSuchFeed()
  return addPrice(tx, { channel: FEED_COMMENT, raw: feedId, amount, userId })
}

export const unpaidComment = unpaidError(
  'comment_not_paid',
  'You must pay the author before you can comment.',
  '付费后才能评论该动态。',
)

export async function requirePaidComment(ctx: Context, { id }: Target, viewerId: number): Promise<void> {
  const price = (await findPrices(ctx.sql, FEED_COMMENT, [id], viewerId)).get(id)
  if (price && !price.paid) throw unpaidComment({ node: price.id, amount: price.amount })
}

const CommentPrice = Shared('CommentPrice', { amount: amountOf(IN_EITHER) })
const CommentPriceSet = Shared('CommentPriceSet', {
  message: Type.Array(Type.String()),
  paid_node: Type.Integer(),
})

const notTheAuthor = apiError(
  403,
  'not_your_feed',
  'Only the author may set the price of comments.',
  '只有作者可以设置评论收费。',
)
const priceSetAlready = apiError(
  422,
  'comment_price_set',
  'Comments on this feed already have a price.',
  '该动态已设置评论收费，不能重复设置。',
)

export function commentPriceRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('PATCH /feeds/:feed/comment-paid', {
    operationId: 'setFeedCommentPrice',
    summary: 'Set the price to comment on my feed',
    access: 'user',
    params: FeedParams,
    body: CommentPrice,
    reply: { 201: CommentPriceSet },
    errors: [noSuchFeed, notTheAuthor, priceSetAlready, featureOff],
    async load({ params, viewer }) {
      const target = await findTarget(ctx.sql, params.feed, null)
      if (!target) throw noSuchFeed()
      if (target.ownerId !== viewer.id) throw notTheAuthor()
    },
    async handler({ request, params, viewer, body }) {
      const node = await transaction(ctx.sql, (tx) =>
        setCommentPrice(ctx, tx, viewer.id, params.feed, body.amount),
      )
      if (node === undefined) throw priceSetAlready()
      return { ...localizedMessage(request, 'Set.', '设置成功。'), paid_node: node }
    },
  })
}
