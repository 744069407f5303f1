import { isVerified } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { askForDeletion } from '../deletions/queries.ts'
import { newsInThisState, noSuchNews, notYourNews } from '../errors.ts'
import { findRecord, type NewsRecord, setStatus } from '../queries.ts'
import { STATUS } from '../schema.ts'
import { addNews, changeNews, getLocked, REJECTIONS_MAX, removeNews } from '../service.ts'
import type { Contribution } from './schema.ts'

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

/** The article that a path names, and who asks for it. */
export type OwnNews = { id: number; categoryId: number; userId: number }

/** What a contribution costs now, in points. */
export async function contributionFee(ctx: Context): Promise<number> {
  const settings = await readSettings(ctx)
  return settings['news:contribute:pay'] ? settings['news:pay-contribute'] : 0
}

/** 403 for those whose identity was not certified, while the site asks for that. */
export async function requireCertified(ctx: Context, userId: number): Promise<void> {
  const settings = await readSettings(ctx)
  if (settings['news:contribute:verified'] && !(await isVerified(ctx.sql, userId))) throw notCertified()
}

/** Sends an article in, in the caller's transaction; it waits for review, and so does its fee. */
export const contribute = (tx: Tx, userId: number, categoryId: number, input: Contribution, fee: number) =>
  addNews(
    tx,
    { authorId: userId, uploaderId: userId },
    { ...input, categoryId },
    { status: STATUS.waiting, fee },
  )

/** 404 or 403 unless the article is this person's, in this category. */
function requireOwn(news: NewsRecord | undefined, { categoryId, userId }: OwnNews): NewsRecord {
  if (!news || news.audit_status === STATUS.recycled || news.category_id !== categoryId) throw noSuchNews()
  // What is not published must not be known to others.
  if (news.user_id !== userId) throw news.audit_status === STATUS.published ? notYourNews() : noSuchNews()
  return news
}

function requireEditable(news: NewsRecord): void {
  if (news.audit_status !== STATUS.rejected) throw newsInThisState()
  if (news.audit_count >= REJECTIONS_MAX) throw rejectedForGood()
}

/** Throws unless the article is a rejected one of this person that may be sent in again. */
export async function requireRejected(ctx: Context, own: OwnNews): Promise<void> {
  requireEditable(requireOwn(await findRecord(ctx.sql, own.id), own))
}

/** Changes a rejected article and sends it in again. */
export const resubmit = (ctx: Context, own: OwnNews, changes: Partial<Contribution>): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    requireEditable(news)
    await changeNews(tx, news.user_id, news, changes)
    await setStatus(tx, news.id, { status: STATUS.waiting })
  })

/** Asks for the fee of an article back that was not published. */
export const askForRefund = (ctx: Context, own: OwnNews): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = requireOwn(await getLocked(tx, own.id), own)
    const open = news.audit_status === STATUS.waiting || news.audit_status === STATUS.rejected
    if (!open || news.fee_state !== 'escrow' || news.audit_count >= REJECTIONS_MAX) throw newsInThisState()
    await setStatus(tx, news.id, { status: STATUS.refundAsked })
  })

/** Deletes an article of one's own, or asks for that where it is published; true when it was only asked for. */
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
