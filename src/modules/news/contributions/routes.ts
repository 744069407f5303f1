import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasAbility } from '#modules/abilities/index.ts'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { apiError, forbidden } from '#platform/errors.ts'
import { payerOf, type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty, Message, MessageWithId, RawText, Type } from '#platform/schema.ts'
import { findRecord, listNewsOf, type NewsRecord, setStatus } from '../articles/queries.ts'
import { newsItems } from '../articles/service.ts'
import { requireCategory } from '../categories/service.ts'
import { noSuchNews, notYourNews } from '../errors.ts'
import {
  CategoryNewsParams,
  CategoryParams,
  Contribution,
  ContributionChanges,
  ContributionItem,
  ContributionsQuery,
  NewsParams,
  STATUS,
} from '../schema.ts'
import { askForDeletion, isCertified } from './queries.ts'
import { addNews, alreadySo, changeNews, getLocked, REJECTIONS_MAX, removeNews } from './service.ts'

const notCertified = apiError(
  403,
  'certification_needed',
  'Contributions are open to certified people only.',
  '未认证，不能投稿。',
)
const rejectedForGood = apiError(
  403,
  'rejected_for_good',
  'The article was rejected too often to be sent in again.',
  '资讯被驳回次数过多，不能再次投稿。',
)

const tags = ['News']
const SCREENED = ['title', 'subject', 'content', 'from', 'author'] as const

/** What authors do with their articles (R §17). */
export function contributionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  /** The checks before the body's: the category, the payment password while there is a fee, the certification. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<{ fee: number }> => {
    await requireCategory(ctx, (request.params as { category: number }).category)
    const settings = await readSettings(ctx)
    const { id } = viewerOf(request)
    const fee = settings['news:contribute:pay'] ? settings['news:pay-contribute'] : 0
    if (fee > 0) await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
    if (settings['news:contribute:verified'] && !(await isCertified(sql, id))) throw notCertified()
    return { fee }
  }

  server.post(
    '/news/categories/:category/currency-news',
    {
      config: { access: 'user', before: admit },
      schema: {
        tags,
        summary: 'Contribute an article, which waits for review; there may be a fee in points',
        params: CategoryParams,
        body: Type.Object({ ...Contribution.properties, password: Type.Optional(RawText(128)) }),
        response: { 201: MessageWithId },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const { fee } = await admit(request, reply)
        const { password: _, ...body } = request.body
        const input = await screen(ctx, body, Contribution, SCREENED)
        const { category: categoryId } = request.params
        const { id: author } = viewerOf(request)
        return atomically(async (tx) => {
          const owner = { authorId: author, uploaderId: author }
          const id = await addNews(tx, owner, { ...input, categoryId }, { status: STATUS.waiting, fee })
          return {
            status: 201,
            body: { ...say(request, 'Your article waits for review.', '投稿成功，等待审核。'), id },
          }
        })
      }),
  )

  /** The viewer's own article, in the category of the path. */
  const own = (request: FastifyRequest, news: NewsRecord | undefined): NewsRecord => {
    const { category } = request.params as { category?: number }
    if (!news || news.audit_status === STATUS.recycled) throw noSuchNews()
    if (category !== undefined && news.category_id !== category) throw noSuchNews()
    // What is not published must not be known to others.
    if (news.user_id !== viewerId(request))
      throw news.audit_status === STATUS.published ? notYourNews() : noSuchNews()
    return news
  }
  const mayEdit = (news: NewsRecord) => {
    if (news.audit_status !== STATUS.rejected) throw alreadySo()
    if (news.audit_count >= REJECTIONS_MAX) throw rejectedForGood()
  }
  const idOf = (request: FastifyRequest) => (request.params as { news: number }).news

  server.patch(
    '/news/categories/:category/news/:news',
    {
      config: {
        access: 'user',
        before: async (request) => mayEdit(own(request, await findRecord(sql, idOf(request)))),
      },
      schema: {
        tags,
        summary: 'Change a rejected article of mine and send it in again',
        params: CategoryNewsParams,
        body: ContributionChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      mayEdit(own(request, await findRecord(sql, idOf(request))))
      const changes = await screen(ctx, request.body, ContributionChanges, SCREENED)
      await transaction(sql, async (tx) => {
        const news = own(request, await getLocked(tx, idOf(request)))
        mayEdit(news)
        await changeNews(tx, news.user_id, news, changes)
        await setStatus(tx, news.id, { status: STATUS.waiting })
      })
      return reply.code(204).send()
    },
  )

  server.put(
    '/news/categories/:category/news/:news',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Ask for the fee of an article back',
        params: CategoryNewsParams,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await transaction(sql, async (tx) => {
        const news = own(request, await getLocked(tx, idOf(request)))
        const open = news.audit_status === STATUS.waiting || news.audit_status === STATUS.rejected
        if (!open || news.fee_state !== 'escrow' || news.audit_count >= REJECTIONS_MAX) throw alreadySo()
        await setStatus(tx, news.id, { status: STATUS.refundAsked })
      })
      return reply.code(201).send(say(request, 'Your request was submitted.', '退款申请已提交。'))
    },
  )

  server.delete(
    '/news/categories/:category/news/:news',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Delete an article of mine; for a published one an editor decides',
        params: CategoryNewsParams,
        response: { 201: Message, 204: Empty },
      },
    },
    async (request, reply) => {
      const asked = await transaction(sql, async (tx) => {
        const news = own(request, await getLocked(tx, idOf(request)))
        if (news.audit_status === STATUS.waiting || news.audit_status === STATUS.refundAsked)
          throw alreadySo()
        const published = news.audit_status === STATUS.published
        if (published) await askForDeletion(tx, { id: news.id, userId: news.user_id, title: news.title })
        else await removeNews(ctx, tx, news)
        return published
      })
      if (!asked) return reply.code(204).send()
      return reply
        .code(201)
        .send(say(request, 'Your request to delete waits for review.', '删除申请已提交，请等待审核。'))
    },
  )

  server.delete(
    '/news/posts/:news',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Delete an article, as its author or as a moderator',
        params: NewsParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { id: viewer } = viewerOf(request)
      const moderates = await hasAbility(ctx, viewer, '[News] Delete News Post')
      await transaction(sql, async (tx) => {
        const news = await getLocked(tx, request.params.news)
        const { user_id: owner, audit_status: status } = news
        // What an editor took away is not its author's any more.
        const own = owner === viewer && status !== STATUS.recycled
        if (!own && !moderates) throw status === STATUS.published ? forbidden() : noSuchNews()
        await removeNews(ctx, tx, news)
      })
      return reply.code(204).send()
    },
  )

  server.get(
    '/user/news/contributes',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My articles, or the published ones of somebody else',
        querystring: ContributionsQuery,
        response: { 200: Type.Array(ContributionItem) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { type, user = viewer, after = 0, limit = 20 } = request.query
      const mine = user === viewer
      const status = mine ? type : STATUS.published
      const rows = await listNewsOf(sql, { userId: user, status, after, limit, viewerId: viewer })
      const items = newsItems(ctx, rows)
      return items.map((item, index) => ({ ...item, mark: mine ? (rows[index]?.mark ?? null) : null }))
    },
  )
}
