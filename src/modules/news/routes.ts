import { hasAbility } from '#modules/abilities/index.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { cancelPinOfTarget, findShownPinsOf } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { newsContent } from './content.ts'
import { countNewsComments, countNewsLikes } from './counters.ts'
import { noSuchNews } from './errors.ts'
import { listNews } from './queries.ts'
import {
  CollectedQuery,
  CorrelationsQuery,
  NEWS_COMMENT,
  NewsDetail,
  NewsItem,
  NewsListQuery,
  NewsParams,
} from './schema.ts'
import { alikeNews, deleteArticle, readNews } from './service.ts'
import { newsByIds, newsItems, newsOverlay } from './view.ts'

/** Articles: lists, one by itself, and deleting; what people do to them is mounted (news-4 to news-9). */
export function newsRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news', {
    operationId: 'listArticles',
    replica: true,
    summary: 'List published articles, newest first, or find them by title',
    access: 'optional',
    kept: newsOverlay,
    query: NewsListQuery,
    reply: { 200: Type.Array(NewsItem) },
    handler: async ({ query, viewer }) => {
      const { id: ids, recommend: recommended, cate_id: categoryId, key, after } = query
      const limit = query.limit ?? (ids?.length || 15)
      const page = { ids, recommended, categoryId, key, after, limit, viewerId: viewer.id }
      return newsItems(ctx, await listNews(sql, page))
    },
  })

  route('GET /news/:news', {
    operationId: 'getArticle',
    replica: true,
    summary: 'Read an article, which counts a view',
    access: 'optional',
    kept: newsOverlay,
    params: NewsParams,
    reply: { 200: NewsDetail },
    errors: [noSuchNews],
    handler: ({ params, viewer }) => readNews(ctx, params.news, viewer.id),
  })

  route('GET /news/:news/correlations', {
    operationId: 'listAlikeArticles',
    summary: 'List articles like this one: those with a tag of it first',
    access: 'optional',
    kept: newsOverlay,
    params: NewsParams,
    query: CorrelationsQuery,
    reply: { 200: Type.Array(NewsItem) },
    errors: [noSuchNews],
    handler: ({ params, query, viewer }) => alikeNews(ctx, params.news, query.limit ?? 3, viewer.id),
  })

  route('DELETE /news/posts/:news', {
    operationId: 'deleteArticle',
    summary: 'Delete an article, as its author or as a moderator',
    access: 'user',
    params: NewsParams,
    reply: { 204: Empty },
    errors: [noSuchNews, forbidden],
    handler: async ({ params, viewer }) => {
      const moderates = await hasAbility(ctx, viewer.id, '[News] Delete News Post')
      return deleteArticle(ctx, params.news, { userId: viewer.id, moderates })
    },
  })

  route('GET /news/collections', {
    operationId: 'listCollectedArticles',
    summary: 'List the articles I collected',
    access: 'user',
    query: CollectedQuery,
    reply: { 200: Type.Array(NewsItem) },
    handler: async ({ query: { after = 0, limit = 15 }, viewer: { id: userId } }) => {
      const page = { type: newsContent.type, userId, limit, order: 'content' as const, after }
      const rows = await listCollected(sql, page)
      const ids = rows.map((row) => row.collectible_id)
      return newsByIds(ctx, ids, userId)
    },
  })

  mountComments(server, ctx, newsContent, {
    path: '/news/:news/comments',
    shape: 'pinned',
    count: countNewsComments,
    pinned: (sql, id) => findShownPinsOf(sql, NEWS_COMMENT, id),
    onRemove: async (tx, comment) => void (await cancelPinOfTarget(tx, NEWS_COMMENT, comment.id)),
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: news'),
  })
  mountLikes(server, ctx, newsContent, {
    create: '/news/:news/likes',
    remove: '/news/:news/likes',
    list: '/news/:news/likes',
    twice: 400,
    none: 400,
    count: countNewsLikes,
  })
  mountCollections(server, ctx, newsContent, {
    create: '/news/:news/collections',
    remove: '/news/:news/collections',
    twice: 422,
    none: 422,
  })
  mountRewards(server, ctx, newsContent, {
    create: '/news/:news/new-rewards',
    list: '/news/:news/rewards',
    sum: '/news/:news/rewards/sum',
    notice: 'reward:news',
  })
  mountReports(server, ctx, newsContent, { path: '/news/:news/reports' })
}
