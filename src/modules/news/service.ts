import { type ContentRemoval, EXCERPT_LENGTH } from '#contracts/content.ts'
import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachPicture, attachUnattached, detachFiles } from '#modules/files/index.ts'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { notify, type SystemType, withdrawContent } from '#modules/notifications/index.ts'
import { cancelPinsOfContent, findShownPins } from '#modules/pinning/index.ts'
import { sumRewards } from '#modules/rewards/index.ts'
import { deleteMentions, notifyStoredMentions, recordMentions, userViews } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database'
import { forbidden } from '#platform/errors.ts'
import { countView } from '#platform/memory'
import {
  cancelDeletions,
  deleteNews,
  findNews,
  findRecord,
  findTarget,
  hitsOf,
  insertNews,
  listAlike,
  listLatest,
  type NewsRecord,
  replaceTags,
  setStatus,
  updateNews,
} from './queries.ts'
import {
  NEWS_COMMENT,
  NEWS_PIN,
  type NewsDetail,
  type NewsItem,
  newsInThisState,
  noSuchNews,
  STATUS,
  unknownAuthor,
  unknownCategory,
  unknownTag,
} from './schema.ts'
import { newsByIds, newsContent, newsDetail } from './view.ts'

export const SUBJECT_MAX = 200
/**
 * Number of rejections after which the author gets the fee back and cannot submit the article again
 * (news-12).
 */
export const REJECTIONS_MAX = 3

export type NewsInput = {
  title?: string
  subject?: string | null
  content?: string
  from?: string | null
  author?: string | null
  categoryId?: number
  image?: number | null
  tags?: number[]
}

const takeImage = (tx: Tx, image: number, ownerId: number, newsId: number) =>
  attachPicture(tx, image, { ownerId, channel: 'news:image', raw: newsId, field: 'image' })

const giveTags = async (tx: Tx, id: number, tags: number[]) => {
  const wanted = [...new Set(tags)]
  if ((await replaceTags(tx, id, wanted)) < wanted.length) throw unknownTag()
}

const keepAttachments = (tx: Tx, newsId: number, ownerId: number, content: string) =>
  attachUnattached(tx, { ids: findAttachments(content), ownerId, channel: 'news:content', raw: newsId })

/** Notifies the mentioned users only of a published article. `publishNews` notifies the others. */
const keepMentions = (
  tx: Tx,
  news: Pick<NewsRecord, 'id' | 'user_id' | 'audit_status'>,
  content: string,
  { isEdit = false }: { isEdit?: boolean } = {},
) =>
  recordMentions(tx, news.user_id, { type: 'news', id: news.id }, content, {
    format: 'markdown',
    excerpt: plainText(content, EXCERPT_LENGTH),
    isEdit,
    isQuiet: news.audit_status !== STATUS.published,
  })

const subjectOf = (subject: string | null | undefined, content: string) =>
  subject ? { text: subject, given: true } : { text: plainText(content, SUBJECT_MAX), given: false }

/** `authorId` pays the fee of a contribution, and `uploaderId` owns the picture and the embedded uploads. */
export type NewsOwner = { authorId: number; uploaderId: number }

/** Creates an article with the given status. Its fee moves from the author into escrow. */
export async function addNews(
  tx: Tx,
  { authorId, uploaderId }: NewsOwner,
  input: NewsInput & { title: string; content: string; categoryId: number },
  { status, fee = 0 }: { status: number; fee?: number },
): Promise<number> {
  const { title, content, categoryId, from = null, author = null, image = null, tags } = input
  const id = await onConstraint(
    insertNews(tx, {
      title,
      content,
      categoryId,
      from,
      author,
      subject: subjectOf(input.subject, content),
      image: { id: null, size: null },
      userId: authorId,
      status,
      fee,
    }),
    { news_category_used: unknownCategory, news_user_id_fkey: unknownAuthor },
  )
  if (image !== null)
    await updateNews(tx, id, { image: { id: image, size: await takeImage(tx, image, uploaderId, id) } })
  if (tags) await giveTags(tx, id, tags)
  await keepAttachments(tx, id, uploaderId, content)
  await keepMentions(tx, { id, user_id: authorId, audit_status: status }, content)
  if (fee > 0)
    await moveFunds(tx, {
      currency: 'points',
      from: authorId,
      to: PLATFORM_ACCOUNTS.escrow,
      amount: fee,
      kind: 'contribution',
      subject: { type: 'news', id },
      body: title,
    })
  return id
}

export async function changeNews(
  tx: Tx,
  uploaderId: number,
  news: NewsRecord,
  { subject, image, tags, ...values }: NewsInput,
): Promise<void> {
  const content = values.content ?? news.content
  const changed = image !== undefined && image !== news.image
  const size = changed && image !== null ? await takeImage(tx, image, uploaderId, news.id) : null
  await onConstraint(
    updateNews(tx, news.id, {
      ...values,
      ...(subject === undefined ? {} : { subject: subjectOf(subject, content) }),
      ...(values.content === undefined ? {} : { derived: plainText(content, SUBJECT_MAX) }),
      ...(changed ? { image: { id: image, size } } : {}),
    }),
    { news_category_used: unknownCategory },
  )
  if (changed && news.image !== null) await detachFiles(tx, { ids: [news.image] })
  if (tags) await giveTags(tx, news.id, tags)
  if (values.content === undefined) return
  await keepAttachments(tx, news.id, uploaderId, content)
  await keepMentions(tx, news, content, { isEdit: true })
}

async function settleFee(tx: Tx, news: NewsRecord, to: 'income' | 'refunded') {
  if (news.fee_state !== 'escrow') return news.fee_state
  await moveFunds(tx, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.escrow,
    to: to === 'income' ? PLATFORM_ACCOUNTS.income : news.user_id,
    amount: news.contribute_amount,
    kind: to === 'income' ? 'contribution' : 'contribution:refunded',
    subject: { type: 'news', id: news.id },
    body: news.title,
  })
  return to
}

export const tellAuthor = (tx: Tx, news: NewsRecord, type: SystemType, contents?: string | null) =>
  notify(tx, {
    type: 'system',
    recipients: [news.user_id],
    senderId: 0,
    cause: { type: 'news', id: news.id },
    data: {
      type,
      resource: { type: 'news', id: news.id },
      news: { id: news.id, title: news.title },
      ...(contents ? { contents } : {}),
    },
  })

export const announceNews = (ctx: Context, tx: Tx, id: number, authorId: number) =>
  publishEvent(ctx, tx, 'news.published', { id, user_id: authorId })

export async function publishNews(ctx: Context, tx: Tx, news: NewsRecord): Promise<void> {
  if (news.audit_status === STATUS.published) throw newsInThisState()
  const feeState = await settleFee(tx, news, 'income')
  await setStatus(tx, news.id, { status: STATUS.published, mark: null, feeState })
  await tellAuthor(tx, news, 'news:audit')
  await notifyStoredMentions(
    tx,
    news.user_id,
    { type: 'news', id: news.id },
    { excerpt: plainText(news.content, EXCERPT_LENGTH) },
  )
  await announceNews(ctx, tx, news.id, news.user_id)
}

/** Rejects an article. Refunds its fee on the third rejection. */
export async function rejectNews(tx: Tx, news: NewsRecord, mark: string | null): Promise<void> {
  const waits = [STATUS.waiting, STATUS.draft, STATUS.refundAsked] as number[]
  if (!waits.includes(news.audit_status)) throw newsInThisState()
  const last = news.audit_count + 1 >= REJECTIONS_MAX
  const feeState = last ? await settleFee(tx, news, 'refunded') : news.fee_state
  await setStatus(tx, news.id, { status: STATUS.rejected, rejected: true, mark, feeState })
  await tellAuthor(tx, news, 'news:reject', mark)
}

export async function recycleNews(tx: Tx, news: NewsRecord, mark: string | null): Promise<void> {
  if (news.audit_status === STATUS.recycled) throw newsInThisState()
  const feeState = await settleFee(tx, news, 'refunded')
  await cancelPinsOfContent(tx, [NEWS_PIN, NEWS_COMMENT], news.id)
  await setStatus(tx, news.id, { status: STATUS.recycled, mark, feeState })
  await cancelDeletions(tx, news.id)
  await withdrawContent(tx, { type: 'news', ids: [news.id] })
}

export async function removeNews(ctx: Context, tx: Tx, news: NewsRecord): Promise<void> {
  await settleFee(tx, news, 'refunded')
  await cancelPinsOfContent(tx, [NEWS_PIN, NEWS_COMMENT], news.id)
  await deleteLikesOf(tx, 'news', [news.id])
  await deleteCollectionsOf(tx, 'news', [news.id])
  await deleteCommentsOf(tx, 'news', [news.id])
  await cancelDeletions(tx, news.id)
  await detachFiles(tx, { channel: 'news:image', raws: [news.id] })
  await detachFiles(tx, { channel: 'news:content', raws: [news.id] })
  await deleteMentions(tx, 'news', [news.id])
  await deleteNews(tx, news.id)
  await withdrawContent(tx, { type: 'news', ids: [news.id] })
  await publishEvent(ctx, tx, 'news.deleted', { id: news.id, user_id: news.user_id })
}

export async function getLocked(tx: Tx, id: number): Promise<NewsRecord> {
  const news = await findRecord(tx, id, { lock: true })
  if (!news) throw noSuchNews()
  return news
}

export const deleteArticle = (
  ctx: Context,
  id: number,
  { userId, moderates }: { userId: number; moderates: boolean },
): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const news = await getLocked(tx, id)
    // A recycled article no longer belongs to its author.
    const own = news.user_id === userId && news.audit_status !== STATUS.recycled
    if (!own && !moderates) throw news.audit_status === STATUS.published ? forbidden() : noSuchNews()
    await removeNews(ctx, tx, news)
  })

/**
 * Returns an article. Only its author and editors see an unpublished article. Only editors see a recycled article
 * (news-5).
 */
export async function readNews(ctx: Context, id: number, viewerId: number): Promise<NewsDetail> {
  const row = await findNews(ctx.sql, id, viewerId)
  if (!row) throw noSuchNews()
  const published = row.audit_status === STATUS.published
  const own = row.user_id === viewerId && row.audit_status !== STATUS.recycled
  if (!published && !own && !(viewerId > 0 && (await hasAbility(ctx, viewerId, 'admin: news'))))
    throw noSuchNews()
  if (published) countView(() => hitsOf(ctx).add([id]))
  const [users, pins, rewards] = await Promise.all([
    userViews(ctx, ctx.sql, [row.user_id], viewerId),
    findShownPins(ctx.sql, NEWS_PIN, [id]),
    sumRewards(ctx.sql, newsContent.type, [id]),
  ])
  return newsDetail(ctx, row, {
    user: users.get(row.user_id) ?? null,
    pinned: pins.has(id),
    reward: rewards.get(id),
  })
}

/** Lists articles that share a tag with the given article, then the newest articles. */
export async function alikeNews(
  ctx: Context,
  id: number,
  limit: number,
  viewerId: number,
): Promise<NewsItem[]> {
  if (!(await findTarget(ctx.sql, id))) throw noSuchNews()
  const [alike, latest] = await Promise.all([
    listAlike(ctx.sql, id, limit),
    listLatest(ctx.sql, limit * 2 + 1),
  ])
  const ids = new Set([...alike, ...latest].map((row) => row.id))
  ids.delete(id)
  return newsByIds(ctx, [...ids].slice(0, limit), viewerId)
}

export const newsRemoval: ContentRemoval = {
  ability: 'admin: news',
  ofAuthor: (sql, userId) => sql`select id from news where user_id = ${userId}`,
  remove: async (ctx, tx, id) => removeNews(ctx, tx, await getLocked(tx, id)),
}
