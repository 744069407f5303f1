import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { notEnough } from '#modules/ledger/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import {
  Empty,
  localizedMessage,
  Message,
  MessageWithId,
  payerOf,
  routesOn,
  type Server,
  Type,
} from '#platform/http'
import { requireCategory } from '../categories/service.ts'
import { listNewsOf } from '../queries.ts'
import {
  CategoryNewsParams,
  CategoryParams,
  newsInThisState,
  noSuchCategory,
  noSuchNews,
  notYourNews,
  STATUS,
  unknownCategory,
  unknownTag,
} from '../schema.ts'
import { newsItems } from '../view.ts'
import {
  askForRefund,
  Contribution,
  ContributionChanges,
  ContributionItem,
  ContributionsQuery,
  contribute,
  contributionFee,
  deleteOrAsk,
  NewContribution,
  notCertified,
  rejectedForGood,
  requireCertified,
  requireRejected,
  resubmit,
} from './service.ts'

const SCREENED = ['title', 'subject', 'content', 'from', 'author'] as const
const OWN_ERRORS = [noSuchNews, notYourNews, newsInThisState]

/** Routes for authors and their articles (news-11 to news-18). */
export function contributionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'News' })

  route('POST /news/categories/:category/currency-news', {
    operationId: 'contributeArticle',
    summary: 'Submit an article for review; a fee in points may apply',
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
      const input = await screenWords(ctx, rest, Contribution, SCREENED)
      return atomically(async (tx) => {
        const id = await contribute(tx, viewer.id, params.category, input, fee)
        return { ...localizedMessage(request, 'Your article waits for review.', '投稿成功，等待审核。'), id }
      })
    },
  })

  route('PATCH /news/categories/:category/news/:news', {
    operationId: 'resubmitArticle',
    summary: 'Revise and resubmit a rejected article of mine',
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
      resubmit(ctx, own, await screenWords(ctx, body, ContributionChanges, SCREENED)),
  })

  route('PUT /news/categories/:category/news/:news', {
    operationId: 'askForArticleRefund',
    summary: 'Request a refund of the fee of an article',
    access: 'user',
    params: CategoryNewsParams,
    reply: { 201: Message },
    errors: OWN_ERRORS,
    handler: async ({ params, viewer, request }) => {
      await askForRefund(ctx, { id: params.news, categoryId: params.category, userId: viewer.id })
      return localizedMessage(request, 'Your request was submitted.', '退款申请已提交。')
    },
  })

  route('DELETE /news/categories/:category/news/:news', {
    operationId: 'deleteContribution',
    summary: 'Delete an article of mine; a published one requires approval',
    access: 'user',
    params: CategoryNewsParams,
    reply: { 201: Message, 204: Empty },
    errors: OWN_ERRORS,
    handler: async ({ params, viewer, request, reply }) => {
      const own = { id: params.news, categoryId: params.category, userId: viewer.id }
      if (await deleteOrAsk(ctx, own))
        return localizedMessage(
          request,
          'Your request to delete waits for review.',
          '删除申请已提交，请等待审核。',
        )
      return reply.code(204).send()
    },
  })

  route('GET /user/news/contributes', {
    operationId: 'listContributions',
    summary: 'List my articles, or the published articles of another person',
    access: 'user',
    query: ContributionsQuery,
    reply: { 200: Type.Array(ContributionItem) },
    handler: async ({ query, viewer: { id: viewerId } }) => {
      const { type, user: userId = viewerId, after = 0, limit = 20 } = query
      const mine = userId === viewerId
      const status = mine ? type : STATUS.published
      const rows = await listNewsOf(sql, { userId, status, after, limit, viewerId })
      const items = newsItems(ctx, rows)
      return items.map((item, index) => {
        const { content, tags, mark } = rows[index]!
        return { ...item, content, tags, mark: mine ? mark : null }
      })
    },
  })
}
