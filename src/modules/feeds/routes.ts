import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { findShownPinsOf } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import { addTextSource, Empty, routesOn, type Server } from '#platform/http'
import { commentRules, countLikes, feedContent } from './content.ts'
import { requirePaidComment, unpaidComment } from './prices.ts'
import { FEED_COMMENT } from './queries.ts'
import { FeedDetail, FeedParams, noSuchFeed, notYourFeed, unpaidFeed } from './schema.ts'
import { findTopicReferences, getFeed, removeFeed } from './service.ts'

export function feedRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })
  addTextSource(ctx, 'topics', findTopicReferences)

  route('GET /feeds/:feed', {
    operationId: 'getFeed',
    summary: 'Read a feed with its latest likes',
    access: 'optional',
    params: FeedParams,
    reply: { 200: FeedDetail },
    errors: [noSuchFeed, unpaidFeed],
    handler: ({ params, viewer }) => getFeed(ctx, viewer.id, params.feed),
  })

  route('DELETE /feeds/:feed/currency', {
    operationId: 'deleteFeed',
    summary: 'Delete a feed',
    access: 'user',
    params: FeedParams,
    reply: { 204: Empty },
    errors: [noSuchFeed, notYourFeed],
    aliases: { deleteFeedPlainly: '/feeds/:feed' },
    idempotent: true,
    handler: ({ params, viewer, atomically }) =>
      atomically((tx) => removeFeed(ctx, tx, params.feed, viewer.id)),
  })

  mountComments(server, ctx, feedContent, {
    ...commentRules,
    path: '/feeds/:feed/comments',
    shape: 'pinned',
    single: true,
    mayWrite: (target, viewerId) => requirePaidComment(ctx, target, viewerId),
    errors: [unpaidComment],
    pinned: (sql, id) => findShownPinsOf(sql, FEED_COMMENT, id),
  })
  mountLikes(server, ctx, feedContent, {
    create: '/feeds/:feed/like',
    remove: '/feeds/:feed/unlike',
    list: '/feeds/:feed/likes',
    count: countLikes,
  })
  mountCollections(server, ctx, feedContent, {
    create: '/feeds/:feed/collections',
    remove: '/feeds/:feed/uncollect',
    twice: 422,
  })
  mountRewards(server, ctx, feedContent, {
    create: '/feeds/:feed/new-rewards',
    list: '/feeds/:feed/rewards',
    notice: 'reward:feeds',
    switches: ['feed:reward'],
  })
  mountReports(server, ctx, feedContent, { path: '/feeds/:feed/reports' })
}
