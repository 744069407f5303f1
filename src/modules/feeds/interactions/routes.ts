import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { findShownPinsOf } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { FEED_COMMENT } from '../queries.ts'
import { commentRules, countLikes, feedContent } from '../service.ts'

/** What people do to feeds (R §15.1). */
export function feedInteractionRoutes(server: Server, ctx: Context) {
  mountComments(server, ctx, feedContent, {
    ...commentRules,
    path: '/feeds/:feed/comments',
    shape: 'pinned',
    single: true,
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
