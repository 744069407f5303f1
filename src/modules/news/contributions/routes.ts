import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { notEnough } from '#modules/ledger/index.ts'
import { contactRefused, isVerified } from '#modules/users/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { apiError, blocked } from '#platform/errors.ts'
import {
  Cursor,
  Empty,
  FilterId,
  Id,
  IdList,
  Int,
  Limit,
  localizedMessage,
  Message,
  MessageWithId,
  Nullable,
  payerOf,
  RawText,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import { requireCategory } from '../categories.ts'
import { askForDeletion, findRecord, listNewsOf, type NewsRecord, setStatus } from '../queries.ts'
import {
  CategoryNewsParams,
  CategoryParams,
  NewsItem,
  NewsTag,
  newsInThisState,
  noSuchCategory,
  noSuchNews,
  notYourNews,
  STATUS,
  unknownCategory,
  unknownTag,
} from '../schema.ts'
import { addNews, changeNews, getLocked, REJECTIONS_MAX, removeNews } from '../service.ts'
import { readNewsSettings } from '../settings.ts'
import { newsItems } from '../view.ts'

const fields = {
  title: Text(40, { minLength: 1 }),
  subject: Type.Optional(Nullable(Text(400))),
  content: Text(100_000, { minLength: 1 }),
  tags: IdList(20, { minItems: 1 }),
  image: Type.Optional(Nullable(Id)),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
}

const Contribution = Type.Object(fields)
type Contribution = Static<typeof Contribution>

/** `password`: payment password, required if contributions have a fee and the settings demand the password. */
const NewContribution = Shared('NewContribution', { ...fields, password: Type.Optional(RawText(128)) })

const ContributionChanges = Type.Partial(Type.Object(fields), { title: 'ContributionChanges' })

/**
 * `type` filters the viewer's articles by state. For another `user`, the list has only published articles.
 */
const ContributionsQuery = Type.Object({
  type: Type.Optional(Int(0, 5)),
  user: FilterId,
  after: Cursor,
  limit: Limit(20),
})

const ContributionItem = Shared('Contribution', {
  ...NewsItem.properties,
  content: Type.String(),
  tags: Type.Array(NewsTag),
  mark: Nullable(Type.String()),
})

const notCertified = apiError(
  403,
  'certification_needed',
  'Only certified users may contribute articles.',
  '需要通过认证才能投稿。',
)
const rejectedForGood = apiError(
  403,
  'rejected_for_good',
  'The article was rejected too often to be submitted again.',
  '该资讯被驳回次数过多，不能再次提交。',
)

export type OwnNews = { id: number; categoryId: number; userId: number }

async function contributionFee(ctx: Context): Promise<number> {
  const settings = await readNewsSettings(ctx)
  return settings['news:contribute:pay'] ? settings['news:pay-contribute'] : 0
}

async function requireCertified(ctx: Context, userId: number): Promise<void> {
  const settings = await readNewsSettings(ctx)
  if (settings['news:contribute:verified'] && !(await isVerified(ctx.sql, userId))) throw notCertified()
}

const contribute = (tx: Tx, userId: number, categoryId: number, input: Contribution, fee: number) =>
  addNews(
    tx,
    { authorId: userId, uploaderId: userId },
    { ...input, categoryId },
    { status: STATUS.waiting, fee },
  )

/** Throws 404 or 403 unless the article belongs to the user and the category and is not recycled. */
function requireOwn(news: NewsRecord | undefined, { categoryId, userId }: OwnNews): NewsRecord {
  if (!news || news.audit_status === STATUS.recycled || news.category_id !== categoryId) throw noSuchNews()
  // Throws 404 for another user's unpublished article, because a 403 would reveal that the article exists.
  if (news.user_id !== userId) throw news.audit_status === STATUS.published ? notYourNews() : noSuchNews()
  return news
}

function requireEditable(news: NewsRecord): void {
  if (news.audit_status !== STATUS.rejected) throw newsInThisState()
  if (news.audit_count >= REJECTIONS_MAX) throw rejectedForGood()
}

async function requireRejected(ctx: Context, own: OwnNews): Promise<void> {
  requireEditable(requireOwn(await findRecord(ctx.sql, own.id), own))
}

const resubmit = (ctx: Context, own: OwnNews, changes: Partial<Contribution>): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    requireEditable(news)
    await changeNews(tx, news.user_id, news, changes)
    await setStatus(tx, news.id, { status: STATUS.waiting })
  })

const askForRefund = (ctx: Context, own: OwnNews): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    const open = news.audit_status === STATUS.waiting || news.audit_status === STATUS.rejected
    if (!open || news.fee_state !== 'escrow' || news.audit_count >= REJECTIONS_MAX) throw newsInThisState()
    await setStatus(tx, news.id, { status: STATUS.refundAsked })
  })

/**
 * Deletes an unpublished article of the user. For a published article, requests its deletion from an editor and
 * returns true.
 */
const deleteOrAsk = (ctx: Context, own: OwnNews): Promise<boolean> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    if (news.audit_status === STATUS.waiting || news.audit_status === STATUS.refundAsked)
      throw newsInThisState()
    const published = news.audit_status === STATUS.published
    if (published) await askForDeletion(tx, { id: news.id, userId: news.user_id, title: news.title })
    else await removeNews(ctx, tx, news)
    return published
  })

const SCREENED = ['title', 'subject', 'content', 'from', 'author'] as const
const OWN_ERRORS = [noSuchNews, notYourNews, newsInThisState]

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
      blocked,
      contactRefused,
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
        return {
          ...localizedMessage(request, 'Your article is waiting for review.', '投稿成功，等待审核。'),
          id,
        }
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
    errors: [
      ...OWN_ERRORS,
      rejectedForGood,
      sensitiveWords,
      fileNotUsable,
      unknownTag,
      blocked,
      contactRefused,
    ],
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
          'Your deletion request is waiting for review.',
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
