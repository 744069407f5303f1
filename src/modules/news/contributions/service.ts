import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/text.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { adoptFiles, attachFiles, detachFiles } from '#modules/files/index.ts'
import { move, PLATFORM } from '#modules/ledger/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { notify, publishEvent, type SystemType, takeBack } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx } from '#platform/database.ts'
import { apiError, invalidField } from '#platform/errors.ts'
import {
  deleteNews,
  findRecord,
  insertNews,
  type NewsRecord,
  replaceTags,
  setStatus,
  updateNews,
} from '../articles/queries.ts'
import { noSuchNews, unknownCategory } from '../errors.ts'
import { cancelPinsOfNews } from '../pins/service.ts'
import { STATUS } from '../schema.ts'
import { cancelDeletions, decideDeletion } from './queries.ts'

/** How much of its text stands below the title of an article without a subject. */
export const SUBJECT_MAX = 200
/** After this many rejections an article cannot be sent in again, and its fee is given back (R §6.6). */
export const REJECTIONS_MAX = 3

/** The state of the article does not allow what is asked. */
export const alreadySo = apiError(
  422,
  'news_in_this_state',
  'The article is in a state that does not allow this.',
  '资讯当前状态不允许该操作。',
)
const deletionDecided = apiError(403, 'already_decided', 'This was decided already.', '该申请已处理。')

/** The parts of an article that are given. */
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

const unknownTag = () =>
  invalidField('tags', { en: 'There is no such tag.', zh: '标签不存在。' }, 'no_such_tag')

const unknownAuthor = () =>
  invalidField('user_id', { en: 'There is no such person.', zh: '用户不存在。' }, 'no_such_user')

const takeImage = async (tx: Tx, image: number, ownerId: number, newsId: number) =>
  (
    await attachFiles(tx, {
      ids: [image],
      ownerId,
      channel: 'news:image',
      raw: newsId,
      field: 'image',
      kind: 'image',
    })
  ).get(image)?.size ?? null

const giveTags = async (tx: Tx, id: number, tags: number[]) => {
  const wanted = [...new Set(tags)]
  if ((await replaceTags(tx, id, wanted)) < wanted.length) throw unknownTag()
}

/** The uploads a text shows are kept as long as the article. */
const keepAttachments = (tx: Tx, newsId: number, ownerId: number, content: string) =>
  adoptFiles(tx, { ids: findAttachments(content), ownerId, channel: 'news:content', raw: newsId })

const subjectOf = (subject: string | null | undefined, content: string) =>
  subject ? { text: subject, given: true } : { text: plainText(content, SUBJECT_MAX), given: false }

/** Who pays and who uploaded: mostly one and the same. */
export type NewsOwner = { authorId: number; uploaderId: number }

/** Writes an article of a state in the caller's transaction; a fee goes from its author into escrow. */
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
    { news_category_used: unknownCategory('category_id'), news_user_id_fkey: unknownAuthor },
  )
  if (image !== null)
    await updateNews(tx, id, { image: { id: image, size: await takeImage(tx, image, uploaderId, id) } })
  if (tags) await giveTags(tx, id, tags)
  await keepAttachments(tx, id, uploaderId, content)
  if (fee > 0)
    await move(tx, {
      currency: 'points',
      from: authorId,
      to: PLATFORM.escrow,
      amount: fee,
      kind: 'contribution',
      subject: { type: 'news', id },
      body: title,
    })
  return id
}

/** Changes what is given, in the caller's transaction, which has locked the article. */
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
    { news_category_used: unknownCategory('category_id') },
  )
  if (changed && news.image !== null) await detachFiles(tx, { ids: [news.image] })
  if (tags) await giveTags(tx, news.id, tags)
  if (values.content !== undefined) await keepAttachments(tx, news.id, uploaderId, content)
}

/** Sends the fee in escrow where it belongs; answers the state it is in then. */
async function settleFee(tx: Tx, news: NewsRecord, to: 'income' | 'refunded') {
  if (news.fee_state !== 'escrow') return news.fee_state
  await move(tx, {
    currency: 'points',
    from: PLATFORM.escrow,
    to: to === 'income' ? PLATFORM.income : news.user_id,
    amount: news.contribute_amount,
    kind: to === 'income' ? 'contribution' : 'contribution:refunded',
    subject: { type: 'news', id: news.id },
    body: news.title,
  })
  return to
}

const tell = (tx: Tx, news: NewsRecord, type: SystemType, contents?: string | null) =>
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

/** Tells webhooks of an article that is published, in the transaction that does it. */
export const announceNews = (ctx: Context, tx: Tx, id: number, authorId: number) =>
  publishEvent(ctx, tx, 'news.published', { id, user_id: authorId })

/** Publishes an article: its fee is the site's now, and its author is told. */
export async function publishNews(ctx: Context, tx: Tx, news: NewsRecord): Promise<void> {
  if (news.audit_status === STATUS.published) throw alreadySo()
  const feeState = await settleFee(tx, news, 'income')
  await setStatus(tx, news.id, { status: STATUS.published, mark: null, feeState })
  await tell(tx, news, 'news:audit')
  await announceNews(ctx, tx, news.id, news.user_id)
}

/** Rejects an article that waits; the third rejection gives the fee back. */
export async function rejectNews(tx: Tx, news: NewsRecord, mark: string | null): Promise<void> {
  const waits = [STATUS.waiting, STATUS.draft, STATUS.refundAsked] as number[]
  if (!waits.includes(news.audit_status)) throw alreadySo()
  const last = news.audit_count + 1 >= REJECTIONS_MAX
  const feeState = last ? await settleFee(tx, news, 'refunded') : news.fee_state
  await setStatus(tx, news.id, { status: STATUS.rejected, rejected: true, mark, feeState })
  await tell(tx, news, 'news:reject', mark)
}

/** Takes an article away without deleting it; a fee that bought nothing is given back. */
export async function recycleNews(tx: Tx, news: NewsRecord, mark: string | null): Promise<void> {
  if (news.audit_status === STATUS.recycled) throw alreadySo()
  const feeState = await settleFee(tx, news, 'refunded')
  await cancelPinsOfNews(tx, news.id)
  await setStatus(tx, news.id, { status: STATUS.recycled, mark, feeState })
  await cancelDeletions(tx, news.id)
}

/** Deletes an article with all that hangs on it; a fee in escrow is given back. The caller has locked it. */
export async function removeNews(ctx: Context, tx: Tx, news: NewsRecord): Promise<void> {
  await settleFee(tx, news, 'refunded')
  await cancelPinsOfNews(tx, news.id)
  await deleteLikesOf(tx, 'news', [news.id])
  await deleteCollectionsOf(tx, 'news', [news.id])
  await deleteCommentsOf(tx, 'news', [news.id])
  await cancelDeletions(tx, news.id)
  await detachFiles(tx, { channel: 'news:image', raws: [news.id] })
  await detachFiles(tx, { channel: 'news:content', raws: [news.id] })
  await takeBack(tx, { type: 'like', cause: { type: 'news', id: news.id } })
  await deleteNews(tx, news.id)
  await publishEvent(ctx, tx, 'news.deleted', { id: news.id, user_id: news.user_id })
}

/** Decides a request for deletion, once, and tells the author. */
export async function settleDeletion(
  ctx: Context,
  tx: Tx,
  id: number,
  { accept, mark, by }: { accept: boolean; mark: string | null; by: number },
): Promise<void> {
  const request = await decideDeletion(tx, id, { state: accept ? 'accepted' : 'rejected', mark, by })
  if (!request) throw deletionDecided()
  const news = await getLocked(tx, request.news_id)
  if (accept) await removeNews(ctx, tx, news)
  await tell(tx, news, accept ? 'news:delete:accept' : 'news:delete:reject', mark)
}

/** The article, locked until the end of the transaction. */
export async function getLocked(tx: Tx, id: number): Promise<NewsRecord> {
  const news = await findRecord(tx, id, { lock: true })
  if (!news) throw noSuchNews()
  return news
}
