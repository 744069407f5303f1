import { isVerified } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  Cursor,
  FilterId,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  RawText,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import { askForDeletion } from '../deletions/queries.ts'
import { findRecord, type NewsRecord, setStatus } from '../queries.ts'
import { NewsItem, NewsTag, newsInThisState, noSuchNews, notYourNews, STATUS } from '../schema.ts'
import { addNews, changeNews, getLocked, REJECTIONS_MAX, removeNews } from '../service.ts'

const fields = {
  title: Text(40, { minLength: 1 }),
  subject: Type.Optional(Nullable(Text(400))),
  content: Text(100_000, { minLength: 1 }),
  tags: IdList(20, { minItems: 1 }),
  image: Type.Optional(Nullable(Id)),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
}

export const Contribution = Type.Object(fields)
export type Contribution = Static<typeof Contribution>

/** A contribution, with the payment password while contributions cost points. */
export const NewContribution = Shared('NewContribution', { ...fields, password: Type.Optional(RawText(128)) })

/** Changes to a rejected contribution. */
export const ContributionChanges = Type.Partial(Type.Object(fields), { title: 'ContributionChanges' })

/** Filters the user's own articles by state. Of other users, only published articles are listed. */
export const ContributionsQuery = Type.Object({
  type: Type.Optional(Int(0, 5)),
  user: FilterId,
  after: Cursor,
  limit: Limit(20),
})

/** An article of a user. `mark`: reason of a rejection, shown to the author. */
export const ContributionItem = Shared('Contribution', {
  ...NewsItem.properties,
  content: Type.String(),
  tags: Type.Array(NewsTag),
  mark: Nullable(Type.String()),
})

export const notCertified = apiError(
  403,
  'certification_needed',
  'Contributions are open to certified people only.',
  '未认证，不能投稿。',
)
export const rejectedForGood = apiError(
  403,
  'rejected_for_good',
  'The article was rejected too often to be sent in again.',
  '资讯被驳回次数过多，不能再次投稿。',
)

/** The article in the path, and the requesting user. */
export type OwnNews = { id: number; categoryId: number; userId: number }

/** Returns the current fee of a contribution in points. */
export async function contributionFee(ctx: Context): Promise<number> {
  const settings = await readSettings(ctx)
  return settings['news:contribute:pay'] ? settings['news:pay-contribute'] : 0
}

/** Throws 403 for users without certification while the site requires it. */
export async function requireCertified(ctx: Context, userId: number): Promise<void> {
  const settings = await readSettings(ctx)
  if (settings['news:contribute:verified'] && !(await isVerified(ctx.sql, userId))) throw notCertified()
}

/** Submits an article for review in the caller's transaction, with its fee in escrow. */
export const contribute = (tx: Tx, userId: number, categoryId: number, input: Contribution, fee: number) =>
  addNews(
    tx,
    { authorId: userId, uploaderId: userId },
    { ...input, categoryId },
    { status: STATUS.waiting, fee },
  )

/** Throws 404 or 403 unless the article belongs to this user and category. */
function requireOwn(news: NewsRecord | undefined, { categoryId, userId }: OwnNews): NewsRecord {
  if (!news || news.audit_status === STATUS.recycled || news.category_id !== categoryId) throw noSuchNews()
  // The existence of unpublished articles is hidden from other users.
  if (news.user_id !== userId) throw news.audit_status === STATUS.published ? notYourNews() : noSuchNews()
  return news
}

function requireEditable(news: NewsRecord): void {
  if (news.audit_status !== STATUS.rejected) throw newsInThisState()
  if (news.audit_count >= REJECTIONS_MAX) throw rejectedForGood()
}

/** Throws unless the article is the user's own, rejected, and may be submitted again. */
export async function requireRejected(ctx: Context, own: OwnNews): Promise<void> {
  requireEditable(requireOwn(await findRecord(ctx.sql, own.id), own))
}

/** Changes a rejected article and submits it again. */
export const resubmit = (ctx: Context, own: OwnNews, changes: Partial<Contribution>): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    requireEditable(news)
    await changeNews(tx, news.user_id, news, changes)
    await setStatus(tx, news.id, { status: STATUS.waiting })
  })

/** Requests a refund of the fee of an unpublished article. */
export const askForRefund = (ctx: Context, own: OwnNews): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    const open = news.audit_status === STATUS.waiting || news.audit_status === STATUS.rejected
    if (!open || news.fee_state !== 'escrow' || news.audit_count >= REJECTIONS_MAX) throw newsInThisState()
    await setStatus(tx, news.id, { status: STATUS.refundAsked })
  })

/** Deletes the user's own article. For a published one it files a deletion request and returns true. */
export const deleteOrAsk = (ctx: Context, own: OwnNews): Promise<boolean> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    if (news.audit_status === STATUS.waiting || news.audit_status === STATUS.refundAsked)
      throw newsInThisState()
    const published = news.audit_status === STATUS.published
    if (published) await askForDeletion(tx, { id: news.id, userId: news.user_id, title: news.title })
    else await removeNews(ctx, tx, news)
    return published
  })
