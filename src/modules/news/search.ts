import type { Searchable } from '#platform/search.ts'
import { listNews } from './queries.ts'
import { NewsItem } from './schema.ts'
import { newsItems } from './view.ts'

/** Published articles by a part of their title, without those of people whom the viewer blocks. */
export const newsSearch: Searchable = {
  type: 'news',
  item: NewsItem,
  find: async (ctx, { q, after, limit, viewerId }) =>
    newsItems(ctx, await listNews(ctx.sql, { key: q, after, limit, viewerId })),
}
