import { byId, distinct } from '#lib/lists.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import {
  findAverage,
  listOwnPins,
  listPinsToDecide,
  mountPinning,
  type PinRow,
  PinsQuery,
  pinView,
} from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { NEWS_COMMENT, NEWS_PIN, type NewsItem, NewsItem as NewsItemSchema } from '../schema.ts'
import { newsByIds } from '../view.ts'
import { listPinnedNews } from './queries.ts'
import { NewsCommentPin, NewsPin, NewsPinAverage, PinnedQuery } from './schema.ts'
import { newsCommentPins, newsPins } from './service.ts'

/** Here the article is the target and the comment is `raw`, the other way round than for feeds (pins-8). */
const newsPinView = (pin: PinRow, channel: 'news' | 'news:comment', news: NewsItem | undefined) => ({
  ...pinView(pin),
  channel,
  raw: channel === 'news' ? 0 : pin.target_id,
  target: pin.thing_id,
  news: news ?? null,
})

/** Pinning of articles and of their comments (pins-1). */
export function newsPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'News' })
  mountPinning(server, ctx, newsPins)
  mountPinning(server, ctx, newsCommentPins, {
    accept: { path: '/news/:news/comments/:comment/currency-pinneds/:pinned' },
    reject: {
      method: 'PATCH',
      path: '/news/:news/comments/:comment/currency-pinneds/:pinned/reject',
      status: 204,
    },
    end: '/news/:news/comments/:comment/unpinned',
  })

  route('GET /news/categories/pinneds', {
    operationId: 'listPinnedArticles',
    summary: 'List articles that are pinned now, dearest first',
    access: 'optional',
    query: PinnedQuery,
    reply: { 200: Type.Array(NewsItemSchema) },
    handler: async ({ query: { cate_id: categoryId, limit = 100 }, viewer: { id: viewerId } }) => {
      const rows = await listPinnedNews(sql, { categoryId, viewerId, limit })
      return newsByIds(
        ctx,
        rows.map(({ id }) => id),
        viewerId,
      )
    },
  })

  route('GET /news/average', {
    operationId: 'getArticlePinAverage',
    summary: 'What a day of being pinned costs on average',
    access: 'user',
    reply: { 200: NewsPinAverage },
    handler: async () => {
      const [news, comment] = await Promise.all([findAverage(sql, NEWS_PIN), findAverage(sql, NEWS_COMMENT)])
      return { news, news_comment: comment }
    },
  })

  route('GET /news/pinneds', {
    operationId: 'listArticlePins',
    summary: 'List my requests to pin articles',
    access: 'user',
    query: PinsQuery,
    reply: { 200: Type.Array(NewsPin) },
    handler: async ({ query: { after = 0, limit = 15 }, viewer: { id: userId } }) => {
      const pins = await listOwnPins(sql, { userId, channel: NEWS_PIN, after, limit })
      const news = byId(await newsByIds(ctx, distinct(pins, 'target_id'), userId))
      return pins.map((pin) => newsPinView(pin, NEWS_PIN, news.get(pin.target_id)))
    },
  })

  route('GET /news/comments/pinneds', {
    operationId: 'listArticleCommentPins',
    summary: 'List requests to pin comments under my articles, those that wait first',
    access: 'user',
    query: PinsQuery,
    reply: { 200: Type.Array(NewsCommentPin) },
    handler: async ({ query: { after = 0, limit = 15 }, viewer: { id: viewer } }) => {
      const pins = await listPinsToDecide(sql, { deciderId: viewer, channel: NEWS_COMMENT, after, limit })
      const [articles, comments, users] = await Promise.all([
        newsByIds(ctx, distinct(pins, 'thing_id'), viewer),
        commentViews(ctx, distinct(pins, 'target_id'), viewer),
        userViews(ctx, sql, distinct(pins, 'user_id'), viewer),
      ])
      const news = byId(articles)
      return pins.map((pin) => ({
        ...newsPinView(pin, NEWS_COMMENT, news.get(pin.thing_id)),
        comment: comments.get(pin.target_id) ?? null,
        user: users.get(pin.user_id) ?? null,
      }))
    },
  })
}
