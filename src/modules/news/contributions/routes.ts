import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { notEnough } from '#modules/ledger/index.ts'
import { screen, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { Empty, Message, MessageWithId, Type } from '#platform/schema.ts'
import { requireCategory } from '../categories/service.ts'
import {
  newsInThisState,
  noSuchCategory,
  noSuchNews,
  notYourNews,
  unknownCategory,
  unknownTag,
} from '../errors.ts'
import { listNewsOf } from '../queries.ts'
import { CategoryNewsParams, CategoryParams, STATUS } from '../schema.ts'
import { newsItems } from '../view.ts'
import {
  Contribution,
  ContributionChanges,
  ContributionItem,
  ContributionsQuery,
  NewContribution,
} from './schema.ts'
import {
  askForRefund,
  contribute,
  contributionFee,
  deleteOrAsk,
  notCertified,
  rejectedForGood,
  requireCertified,
  requireRejected,
  resubmit,
} from './service.ts'

const SCREENED = ['title', 'subject', 'content', 'from', 'author'] as const
const OWN_ERRORS = [noSuchNews, notYourNews, newsInThisState]

/** What authors do with their articles (news-11 to news-18). */
export function contributionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'News' })

  route('POST /news/categories/:category/currency-news', {
    operationId: 'contributeArticle',
    summary: 'Contribute an article, which waits for review; there may be a fee in points',
    access: 'user',
    params: CategoryParams,
    body: NewContribution,
    reply: { 201: MessageWithId },
    errors: [
      ...[noSuchCategory, ...PAYMENT_PASSWORD_ERRORS, notCertified, notEnough],
      ...[sensitiveWords, fileNotUsable, unknownTag, unknownCategory],
    ],
    idempotent: true,
    load: async (call) => {
      await requireCategory(ctx, call.params.category)
      const fee = await contributionFee(ctx)
      if (fee > 0) await checkPaymentPassword(ctx, payerOf(ctx, call))
      await requireCertified(ctx, call.viewer.id)
      return { fee }
    },
    handler: async ({ loaded: { fee }, params, body, viewer, request, atomically }) => {
      const { password: _, ...rest } = body
      const input = await screen(ctx, rest, Contribution, SCREENED)
      return atomically(async (tx) => {
        const id = await contribute(tx, viewer.id, params.category, input, fee)
        return { ...say(request, 'Your article waits for review.', '投稿成功，等待审核。'), id }
      })
    },
  })

  route('PATCH /news/categories/:category/news/:news', {
    operationId: 'resubmitArticle',
    summary: 'Change a rejected article of mine and send it in again',
    access: 'user',
    params: CategoryNewsParams,
    body: ContributionChanges,
    reply: { 204: Empty },
    errors: [...OWN_ERRORS, rejectedForGood, sensitiveWords, fileNotUsable, unknownTag],
    load: async ({ params, viewer }) => {
      const own = { id: params.news, categoryId: params.category, userId: viewer.id }
      await requireRejected(ctx, own)
      return own
    },
    handler: async ({ loaded: own, body }) =>
      resubmit(ctx, own, await screen(ctx, body, ContributionChanges, SCREENED)),
  })

  route('PUT /news/categories/:category/news/:news', {
    operationId: 'askForArticleRefund',
    summary: 'Ask for the fee of an article back',
    access: 'user',
    params: CategoryNewsParams,
    reply: { 201: Message },
    errors: OWN_ERRORS,
    handler: async ({ params, viewer, request }) => {
      await askForRefund(ctx, { id: params.news, categoryId: params.category, userId: viewer.id })
      return say(request, 'Your request was submitted.', '退款申请已提交。')
    },
  })

  route('DELETE /news/categories/:category/news/:news', {
    operationId: 'deleteContribution',
    summary: 'Delete an article of mine; for a published one an editor decides',
    access: 'user',
    params: CategoryNewsParams,
    reply: { 201: Message, 204: Empty },
    errors: OWN_ERRORS,
    handler: async ({ params, viewer, request, reply }) => {
      const own = { id: params.news, categoryId: params.category, userId: viewer.id }
      if (await deleteOrAsk(ctx, own))
        return say(request, 'Your request to delete waits for review.', '删除申请已提交，请等待审核。')
      return reply.code(204).send()
    },
  })

  route('GET /user/news/contributes', {
    operationId: 'listContributions',
    summary: 'My articles, or the published ones of somebody else',
    access: 'user',
    query: ContributionsQuery,
    reply: { 200: Type.Array(ContributionItem) },
    handler: async ({ query, viewer: { id: viewerId } }) => {
      const { type, user: userId = viewerId, after = 0, limit = 20 } = query
      const mine = userId === viewerId
      const status = mine ? type : STATUS.published
      const rows = await listNewsOf(sql, { userId, status, after, limit, viewerId })
      const items = newsItems(ctx, rows)
      return items.map((item, index) => ({ ...item, mark: mine ? (rows[index]?.mark ?? null) : null }))
    },
  })
}
