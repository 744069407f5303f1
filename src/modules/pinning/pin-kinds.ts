import type { Content } from '#contracts/content.ts'
import type { SystemType } from '#modules/notifications/index.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import type { PinRow } from './queries.ts'
import type { PinSubject } from './schema.ts'

export type PinNotice = {
  type: SystemType
  resource: { type: string; id: number }
  [name: string]: unknown
}

export type PinKind = {
  channel: string
  /** The pinned content, or the content under which comments are pinned. */
  content: Content
  /** Selects the `id` of the target unless it is deleted. The caller appends a row lock. */
  alive(sql: Db, subject: PinSubject): Fragment
  notice(sql: Db, pin: PinRow): Promise<PinNotice>
  /** Returns whether webhook events must omit the applicant (notifications-14). */
  hidesRecipients?(sql: Db, pin: PinRow): Promise<boolean>
  onRequest?(tx: Tx, subject: PinSubject): Promise<void>
  onAccept?(tx: Tx, pin: PinRow): Promise<void>
}

export type PathIds = Record<string, number>

export type PinOptions = PinKind & {
  tag: string
  noun: string
  path: string
  aliases?: Record<string, string>
  find(sql: Db, ids: PathIds, viewerId: number): Promise<PinSubject | undefined>
  /**
   * Finds the target again in the transaction of the request, because another user may have become the
   * decider.
   */
  hold?(tx: Tx, ids: PathIds, viewerId: number): Promise<PinSubject>
  errors?: readonly DeclaredError[]
  /** If true, requests of deciders need neither an amount nor a password, because deciders pin for free. */
  freeIsPlain?: true
}

export type CommentLookup = {
  find(
    sql: Db,
    type: string,
    contentId: number,
    id: number,
  ): Promise<{ user_id: number; body: string } | undefined>
  /** Selects a comment under existing content and locks the content. The caller appends a lock of the comment. */
  live(sql: Db, content: Content, contentId: number, id: number): Fragment
}

export const pinsOfContent = (
  content: Content,
  { channel, noticeOf }: { channel: string; noticeOf(pin: PinRow): SystemType },
): PinOptions => ({
  channel,
  content,
  tag: content.tag,
  noun: content.noun,
  path: `/${content.type}/:${content.param}/currency-pinneds`,
  async find(sql, ids, viewerId) {
    const id = ids[content.param]!
    const target = await content.find(sql, id, viewerId)
    return target && { contentId: id, targetId: id, authorId: target.ownerId, deciderId: 0 }
  },
  alive: (sql, { targetId }) => content.live(sql, targetId),
  notice: async (_sql, pin) => ({
    type: noticeOf(pin),
    [content.param]: { id: pin.target_id },
    resource: { type: content.type, id: pin.target_id },
  }),
})

export const commentPinKind = (
  content: Content,
  comments: CommentLookup,
  { channel, notice }: { channel: string; notice: SystemType },
): PinKind & { tag: string; noun: string } => ({
  channel,
  content,
  tag: content.tag,
  noun: `${content.noun}Comment`,
  alive: (sql, { contentId, targetId }) => comments.live(sql, content, contentId, targetId),
  async notice(sql, { thing_id: contentId, target_id: id }) {
    const comment = await comments.find(sql, content.type, contentId, id)
    return {
      type: notice,
      comment: { id, contents: comment?.body ?? '' },
      [content.param]: { id: contentId },
      resource: { type: 'comments', id },
    }
  },
})

export const pinsOfComments = (
  content: Content,
  comments: CommentLookup,
  kind: { channel: string; notice: SystemType },
): PinOptions => ({
  ...commentPinKind(content, comments, kind),
  path: `/${content.type}/:${content.param}/comments/:comment/currency-pinneds`,
  async find(sql, { [content.param]: contentId = 0, comment = 0 }, viewerId) {
    const [target, found] = await Promise.all([
      content.find(sql, contentId, viewerId),
      comments.find(sql, content.type, contentId, comment),
    ])
    if (!target || !found) return undefined
    return { contentId, targetId: comment, authorId: found.user_id, deciderId: target.ownerId }
  },
})
