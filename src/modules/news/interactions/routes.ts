import { hasAbility } from '#modules/abilities/index.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { newsByIds, newsContent } from '../articles/service.ts'
import { cancelPinOfNewsComment, pinnedNewsComments } from '../pins/service.ts'
import { CollectedQuery, NewsItem } from '../schema.ts'

/** What people do to published articles: comments, likes, collections, rewards and reports. */
export function newsInteractionRoutes(server: Server, ctx: Context) {
  mountComments(server, ctx, newsContent, {
    path: '/news/:news/comments',
    shape: 'pinned',
    count: (db) => [
      db`update news_counts n set comment_count = n.comment_count + c.by from changed c where n.news_id = c.id`,
    ],
    pinned: pinnedNewsComments,
    onRemove: async (tx, comment) => void (await cancelPinOfNewsComment(tx, comment.id)),
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: news'),
  })
  mountLikes(server, ctx, newsContent, {
    create: '/news/:news/likes',
    remove: '/news/:news/likes',
    list: '/news/:news/likes',
    twice: 400,
    none: 400,
    count: (db) => [
      db`update news_counts n set digg_count = n.digg_count + c.by from changed c where n.news_id = c.id`,
    ],
  })
  mountCollections(server, ctx, newsContent, {
    create: '/news/:news/collections',
    remove: '/news/:news/collections',
    twice: 422,
    none: 422,
  })
  mountRewards(server, ctx, newsContent, {
    create: ['/news/:news/new-rewards'],
    list: '/news/:news/rewards',
    sum: '/news/:news/rewards/sum',
    notice: 'reward:news',
  })
  mountReports(server, ctx, newsContent, { path: '/news/:news/reports' })

  server.get(
    '/news/collections',
    {
      config: { access: 'user' },
      schema: {
        tags: ['News'],
        summary: 'List the articles I collected',
        querystring: CollectedQuery,
        response: { 200: Type.Array(NewsItem) },
      },
    },
    async (request) => {
      const { id: userId } = viewerOf(request)
      const { after = 0, limit = 15 } = request.query
      const rows = await listCollected(ctx.sql, { type: 'news', userId, limit, order: 'content', after })
      return newsByIds(
        ctx,
        rows.map((row) => row.collectible_id),
        userId,
      )
    },
  )
}
