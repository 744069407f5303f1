import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { CorrelationsQuery, NewsDetail, NewsItem, NewsListQuery, NewsParams } from '../schema.ts'
import { listNews } from './queries.ts'
import { alikeNews, newsItems, readNews } from './service.ts'

const tags = ['News']

/** Reading articles. */
export function newsRoutes(server: Server, ctx: Context) {
  server.get(
    '/news',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List published articles, newest first, or find them by title',
        querystring: NewsListQuery,
        response: { 200: Type.Array(NewsItem) },
      },
    },
    async (request) => {
      const { id: ids, recommend: recommended, cate_id: categoryId, key, after } = request.query
      const rows = await listNews(ctx.sql, {
        ids,
        recommended,
        categoryId,
        key,
        after,
        limit: request.query.limit ?? (ids?.length || 15),
        viewerId: viewerId(request),
      })
      return newsItems(ctx, rows)
    },
  )

  server.get(
    '/news/:news',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Read an article, which counts a view',
        params: NewsParams,
        response: { 200: NewsDetail },
      },
    },
    (request) => readNews(ctx, request.params.news, viewerId(request)),
  )

  server.get(
    '/news/:news/correlations',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Articles like this one: those with a tag of it first',
        params: NewsParams,
        querystring: CorrelationsQuery,
        response: { 200: Type.Array(NewsItem) },
      },
    },
    (request) => alikeNews(ctx, request.params.news, request.query.limit ?? 3, viewerId(request)),
  )
}
