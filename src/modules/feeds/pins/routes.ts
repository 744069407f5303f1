import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import { findAverage, listPinsToDecide, mountPinning } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { feedViews } from '../view.ts'
import { FEED_COMMENT } from './queries.ts'
import { Average, CommentPin, PinsQuery } from './schema.ts'
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
      const all = (of: (pin: (typeof pins)[number]) => number) => [...new Set(pins.map(of))]
      const [feeds, comments, users] = await Promise.all([
        feedViews(
          ctx,
          all((pin) => pin.thing_id),
          viewer,
        ),
        commentViews(
          ctx,
          all((pin) => pin.target_id),
          viewer,
        ),
        userViews(
          ctx,
          sql,
          all((pin) => pin.user_id),
          viewer,
        ),
      ])
      return pins.map((pin) => ({
        id: pin.id,
        channel: 'comment',
        raw: pin.thing_id,
        target: pin.target_id,
        user_id: pin.user_id,
        target_user: pin.decider_id,
        amount: pin.amount,
        day: pin.day,
        state: pin.state,
        expires_at: wireTimeOrNull(pin.expires_at),
        created_at: wireTime(pin.created_at),
        updated_at: wireTime(pin.updated_at),
        feed: feeds.get(pin.thing_id) ?? null,
        comment: comments.get(pin.target_id) ?? null,
        user: users.get(pin.user_id) ?? null,
      }))
    },
  )
}
