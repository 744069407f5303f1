import { amountOf, featureOff, IN_EITHER } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { localizedMessage, routesOn, type Server, Shared, Type } from '#platform/http'
import { findTarget } from '../queries.ts'
import { FeedParams, noSuchFeed } from '../schema.ts'
import { setCommentPrice } from './service.ts'

const CommentPrice = Shared('CommentPrice', { amount: amountOf(IN_EITHER) })
const CommentPriceSet = Shared('CommentPriceSet', {
  message: Type.Array(Type.String()),
  paid_node: Type.Integer(),
})

const notTheAuthor = apiError(
  403,
  'not_your_feed',
  'Only its author may set what a comment costs.',
  '只有作者可以设置评论收费。',
)
const priceSetAlready = apiError(
  422,
  'comment_price_set',
  'Comments on this feed have a price already.',
  '该动态已设置评论收费，不可重复设置。',
)

/** The price of commenting on a feed (feeds-41). */
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
      const target = await findTarget(ctx.sql, params.feed)
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
