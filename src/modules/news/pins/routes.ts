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
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { type NewsItem, NewsItem as NewsItemSchema } from '../schema.ts'
import { newsByIds } from '../view.ts'
import { listPinnedNews, NEWS_COMMENT } from './queries.ts'
import { Average, NewsCommentPin, NewsPin, PinnedQuery } from './schema.ts'
import { newsCommentPins, newsPins } from './service.ts'

const tags = ['News']

/** Here the article is the target and the comment is `raw`, the other way round than for feeds (R §26). */
const newsPinView = (pin: PinRow, channel: 'news' | 'news:comment', news: NewsItem | undefined) => ({
  ...pinView(pin),
  channel,
  raw: channel === 'news' ? 0 : pin.target_id,
  target: pin.thing_id,
  news: news ?? null,
})

/** Pinning of articles and of their comments (R §17). */
export function newsPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  mountPinning(server, ctx, newsPins)
  mountPinning(server, ctx, newsCommentPins, {
    accept: '/news/:news/comments/:comment/currency-pinneds/:pinned',
    reject: ['PATCH', '/news/:news/comments/:comment/currency-pinneds/:pinned/reject'],
    end: '/news/:news/comments/:comment/unpinned',
  })

  server.get(
    '/news/categories/pinneds',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Articles that are pinned now, dearest first',
        querystring: PinnedQuery,
        response: { 200: Type.Array(NewsItemSchema) },
      },
    },
    async (request) => {
      const { cate_id: categoryId, limit = 100 } = request.query
      const viewer = viewerId(request)
      const rows = await listPinnedNews(sql, { categoryId, viewerId: viewer, limit })
      return newsByIds(
        ctx,
        rows.map(({ id }) => id),
        viewer,
      )
    },
  )

  server.get(
    '/news/average',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'What a day of being pinned costs on average', response: { 200: Average } },
    },
    async () => {
      const [news, comment] = await Promise.all([findAverage(sql, 'news'), findAverage(sql, NEWS_COMMENT)])
      return { news, news_comment: comment }
    },
  )

  server.get(
    '/news/pinneds',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My requests to pin articles',
        querystring: PinsQuery,
        response: { 200: Type.Array(NewsPin) },
      },
    },
    async (request) => {
      const { id: userId } = viewerOf(request)
      const { after = 0, limit = 15 } = request.query
      const pins = await listOwnPins(sql, { userId, channel: newsPins.channel, after, limit })
      const news = byId(await newsByIds(ctx, distinct(pins, 'target_id'), userId))
      return pins.map((pin) => newsPinView(pin, 'news', news.get(pin.target_id)))
    },
  )

  server.get(
    '/news/comments/pinneds',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Requests to pin comments under my articles, those that wait first',
        querystring: PinsQuery,
        response: { 200: Type.Array(NewsCommentPin) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { after = 0, limit = 15 } = request.query
      const pins = await listPinsToDecide(sql, { deciderId: viewer, channel: NEWS_COMMENT, after, limit })
      const [articles, comments, users] = await Promise.all([
        newsByIds(ctx, distinct(pins, 'thing_id'), viewer),
        commentViews(ctx, distinct(pins, 'target_id'), viewer),
        userViews(ctx, sql, distinct(pins, 'user_id'), viewer),
      ])
      const news = byId(articles)
      return pins.map((pin) => ({
        ...newsPinView(pin, 'news:comment', news.get(pin.thing_id)),
        comment: comments.get(pin.target_id) ?? null,
        user: users.get(pin.user_id) ?? null,
      }))
    },
  )
}
