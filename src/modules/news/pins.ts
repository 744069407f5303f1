import { byId, distinct } from '#lib/lists.ts'
import { CommentWithPeople, commentViews, findComment, lockableComment } from '#modules/comments/index.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import {
  findAverageDailyPrice,
  listOwnPins,
  listPinsToDecide,
  mountPinning,
  numberedPinFields,
  orderByPrice,
  type PinRow,
  PinsQuery,
  pinStateNumber,
  pinsOfComments,
  pinsOfContent,
  pinView,
  selectShownPins,
} from '#modules/pinning/index.ts'
import { shownTo, UserView, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven } from '#platform/database'
import { FilterId, Limit, Nullable, routesOn, type Server, Shared, Type } from '#platform/http'
import { NEWS_COMMENT, NEWS_PIN, NewsItem, NewsItem as NewsItemSchema } from './schema.ts'
import { newsByIds, newsContent } from './view.ts'

export const newsPins = pinsOfContent(newsContent, {
  channel: NEWS_PIN,
  noticeOf: ({ state }) => (state === 'rejected' ? 'news:pinned:reject' : 'news:pinned:accept'),
})

const newsCommentPins = pinsOfComments(
  newsContent,
  { find: findComment, live: lockableComment },
  { channel: NEWS_COMMENT, notice: 'pinned:news/comment' },
)

const listPinnedNews = (
  sql: Db,
  { categoryId, viewerId, limit }: { categoryId: number | undefined; viewerId: number; limit: number },
) => sql<{ id: number }[]>`
  select n.id from ${selectShownPins(sql, NEWS_PIN)} join news n on n.id = p.target_id
  where n.audit_status = 0 ${ifGiven(sql, categoryId, (id) => sql`and n.category_id = ${id}`)}
    ${shownTo(sql, viewerId, sql`n.user_id`)}
  order by ${orderByPrice(sql)} limit ${limit}`

const PinnedQuery = Type.Object({ cate_id: FilterId, limit: Limit(100) })

const pin = {
  ...numberedPinFields,
  raw: Type.Integer({ description: 'Id of the comment; 0 for an article' }),
  target: Type.Integer({ description: 'Id of the article' }),
  news: Nullable(NewsItem),
}

const NewsPin = Shared('ArticlePin', pin)

const NewsCommentPin = Shared('ArticleCommentPin', {
  ...pin,
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

const NewsPinAverage = Shared('ArticlePinAverage', {
  news: Type.Integer(IN_POINTS),
  news_comment: Type.Integer(IN_POINTS),
})

/** `target` is the article and `raw` the comment. In pins of feeds, it is the reverse (pins-8). */
const newsPinView = (pin: PinRow, channel: 'news' | 'news:comment', news: NewsItem | undefined) => ({
  ...pinView(pin),
  state: pinStateNumber(pin.state),
  channel,
  raw: channel === 'news' ? 0 : pin.target_id,
  target: pin.thing_id,
  news: news ?? null,
})

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
    summary: 'List pinned articles, highest price first',
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
    summary: 'Read the average daily price of a pin',
    access: 'user',
    reply: { 200: NewsPinAverage },
    handler: async () => {
      const [news, comment] = await Promise.all([
        findAverageDailyPrice(sql, NEWS_PIN),
        findAverageDailyPrice(sql, NEWS_COMMENT),
      ])
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
    summary: 'List requests to pin comments under my articles, pending first',
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
