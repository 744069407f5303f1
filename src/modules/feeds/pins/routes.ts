import { distinct } from '#lib/lists.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import { findAverage, listPinsToDecide, mountPinning, PinsQuery, pinView } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { FEED_COMMENT } from '../queries.ts'
import { feedViews } from '../view.ts'
import { Average, CommentPin } from './schema.ts'
import { commentPins, feedPins } from './service.ts'

const tags = ['Feeds']

/** Pinning of feeds and of their comments (specification 4.3, R §4). */
export function feedPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  mountPinning(server, ctx, feedPins)
  mountPinning(server, ctx, commentPins, {
    accept: '/feeds/:feed/comments/:comment/currency-pinneds/:pinned',
    reject: ['DELETE', '/user/feed-comment-currency-pinneds/:pinned'],
    end: '/feeds/:feed/comments/:comment/unpinned',
  })

  server.get(
    '/feeds/average',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'What a day of being pinned costs on average', response: { 200: Average } },
    },
    async () => {
      const [feed, comment] = await Promise.all([findAverage(sql, 'feed'), findAverage(sql, FEED_COMMENT)])
      return { feed, feed_comment: comment }
    },
  )

  server.get(
    '/user/feed-comment-pinneds',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Requests to pin comments under my feeds, those that wait first',
        querystring: PinsQuery,
        response: { 200: Type.Array(CommentPin) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { after = 0, limit = 15 } = request.query
      const pins = await listPinsToDecide(sql, { deciderId: viewer, channel: FEED_COMMENT, after, limit })
      const [feeds, comments, users] = await Promise.all([
        feedViews(ctx, distinct(pins, 'thing_id'), viewer),
        commentViews(ctx, distinct(pins, 'target_id'), viewer),
        userViews(ctx, sql, distinct(pins, 'user_id'), viewer),
      ])
      return pins.map((pin) => ({
        ...pinView(pin),
        channel: 'comment',
        raw: pin.thing_id,
        target: pin.target_id,
        feed: feeds.get(pin.thing_id) ?? null,
        comment: comments.get(pin.target_id) ?? null,
        user: users.get(pin.user_id) ?? null,
      }))
    },
  )
}
