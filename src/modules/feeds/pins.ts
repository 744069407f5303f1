import { distinct } from '#lib/lists.ts'
import { CommentWithPeople, commentViews, findComment, lockableComment } from '#modules/comments/index.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import {
  findAverageDailyPrice,
  listPinsToDecide,
  mountPinning,
  PinsQuery,
  pinFields,
  pinsOfComments,
  pinsOfContent,
  pinView,
} from '#modules/pinning/index.ts'
import { UserView, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { Nullable, routesOn, type Server, Shared, Type } from '#platform/http'
import { feedContent } from './content.ts'
import { FEED_COMMENT, FEED_PIN } from './queries.ts'
import { FeedView } from './schema.ts'
import { feedViews } from './view.ts'

export const feedPins = pinsOfContent(feedContent, { channel: FEED_PIN, noticeOf: () => 'pinned:feeds' })

const feedCommentPins = pinsOfComments(
  feedContent,
  { find: findComment, live: lockableComment },
  { channel: FEED_COMMENT, notice: 'pinned:feed/comment' },
)

/** Pin request for the viewer to decide. Deleted feeds, comments and users are null (pins-8). */
const FeedCommentPin = Shared('FeedCommentPin', {
  ...pinFields,
  raw: Type.Integer({ description: 'Id of the feed' }),
  target: Type.Integer({ description: 'Id of the comment' }),
  feed: Nullable(FeedView),
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

const FeedPinAverage = Shared('FeedPinAverage', {
  feed: Type.Integer(IN_POINTS),
  feed_comment: Type.Integer(IN_POINTS),
})

export function feedPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Feeds' })
  mountPinning(server, ctx, feedPins)
  mountPinning(server, ctx, feedCommentPins, {
    accept: { path: '/feeds/:feed/comments/:comment/currency-pinneds/:pinned' },
    reject: { method: 'DELETE', path: '/user/feed-comment-currency-pinneds/:pinned', status: 204 },
    end: '/feeds/:feed/comments/:comment/unpinned',
  })

  route('GET /feeds/average', {
    operationId: 'getFeedPinAverage',
    summary: 'Read the average daily price of a pin',
    access: 'user',
    reply: { 200: FeedPinAverage },
    handler: async () => {
      const [feed, comment] = await Promise.all([
        findAverageDailyPrice(sql, FEED_PIN),
        findAverageDailyPrice(sql, FEED_COMMENT),
      ])
      return { feed, feed_comment: comment }
    },
  })

  route('GET /user/feed-comment-pinneds', {
    operationId: 'listFeedCommentPins',
    summary: 'List requests to pin comments under my feeds, pending first',
    access: 'user',
    query: PinsQuery,
    reply: { 200: Type.Array(FeedCommentPin) },
    handler: async ({ query: { after = 0, limit = 15 }, viewer: { id: viewer } }) => {
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
  })
}
