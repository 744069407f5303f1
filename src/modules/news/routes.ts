import { type Period, periodStart, type RankedRow } from '#contracts/period-sums.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { cancelPinOfTarget, findShownPinsOf } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import { mountRanking, withEnabledUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { forbidden } from '#platform/errors.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { countNewsComments, countNewsLikes, listNews, seenNews } from './queries.ts'
import {
  CollectedQuery,
  CorrelationsQuery,
  NEWS_COMMENT,
  NewsDetail,
  NewsItem,
  NewsListQuery,
  NewsParams,
  noSuchNews,
} from './schema.ts'
import { alikeNews, deleteArticle, readNews } from './service.ts'
import { newsByIds, newsContent, newsItems } from './view.ts'

const RANKED = 1000

const rankAuthors = (sql: Db, period: Period) => sql<RankedRow[]>`
  select n.user_id, sum(c.hits)::bigint as count
  from news n join news_counts c on c.news_id = n.id ${withEnabledUser(sql, sql`n.user_id`)}
  where n.audit_status = 0 and c.hits > 0 and n.published_at >= ${periodStart(sql, period)}
  group by n.user_id order by count desc, n.user_id limit ${RANKED}`

const rankingOf = cacheCostly<Period, RankedRow[]>(10_000, ({ sql }, period) =>
  rankAuthors(sql, period).execute(),
)

export const newsRankRoutes = (server: Server, ctx: Context) =>
  mountRanking(server, ctx, '/news/ranks', {
    tag: 'News',
    operationId: 'listNewsRanks',
    summary: 'Rank authors by article views of today, the last week or the last month',
    byPeriod: true,
    rankingOf,
  })

export function newsRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news', {
    operationId: 'listArticles',
    summary: 'List published articles, newest first, or find them by title',
    access: 'optional',
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
    summary: 'Read an article and count a view',
    access: 'optional',
    params: NewsParams,
    reply: { 200: NewsDetail },
    errors: [noSuchNews],
    handler: ({ params, viewer }) => readNews(ctx, params.news, viewer.id),
  })

  route('GET /news/:news/correlations', {
    operationId: 'listAlikeArticles',
    summary: 'List related articles, articles with a shared tag first',
    access: 'optional',
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
      const page = {
        type: newsContent.type,
        userId,
        limit,
        order: 'content' as const,
        after,
        seen: seenNews(sql, userId),
      }
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
