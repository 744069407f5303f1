import type { SystemType } from '#modules/notifications/index.ts'
import type { Content } from '#platform/content.ts'
import type { Db, Fragment, Tx } from '#platform/database.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import type { PinRow } from './queries.ts'
import type { PinSubject } from './schema.ts'

/** What an applicant is told about when the request is decided. */
export type PinNotice = {
  type: SystemType
  resource: { type: string; id: number }
  [name: string]: unknown
}

/** One kind of pins: of content, or of the comments under it. */
export type PinKind = {
  /** Such as `feed` or `feed:comment`. */
  channel: string
  /** `select id from … where …` of what is pinned, if it is not deleted; locked here, so that it stays. */
  alive(sql: Db, subject: PinSubject): Fragment
  notice(sql: Db, pin: PinRow): Promise<PinNotice>
  /** What else a request does, in its transaction. */
  onRequest?(tx: Tx, subject: PinSubject): Promise<void>
  /** What else an acceptance does, in its transaction. */
  onAccept?(tx: Tx, pin: PinRow): Promise<void>
}

/** The parameters of a path. */
export type PathIds = Record<string, number>

/** A kind of pins that people ask for. */
export type PinOptions = PinKind & {
  /** The area under which the routes are documented. */
  tag: ApiTag
  /** Names the operations: `Feed` makes `requestFeedPin`. */
  noun: string
  /** Where POST asks for a pin, such as `/feeds/:feed/currency-pinneds`. */
  path: string
  /** Other paths of the same, by operationId. */
  aliases?: Record<string, string>
  /** What the path names, or undefined (404). */
  find(sql: Db, ids: PathIds, viewerId: number): Promise<PinSubject | undefined>
  /** Finds it once more in the transaction of the request, where who decides may change meanwhile. */
  hold?(tx: Tx, ids: PathIds, viewerId: number): Promise<PinSubject>
  /** What `find` and `hold` throw. */
  errors?: readonly DeclaredError[]
  /** Who decides themselves neither says an amount nor confirms with a password: they pay nothing. */
  freeIsPlain?: true
}

/** How a content module reads the comments under its content. */
export type CommentLookup = {
  find(
    sql: Db,
    type: string,
    contentId: number,
    id: number,
  ): Promise<{ user_id: number; body: string } | undefined>
  /** `select id …` of a comment whose content is there; the content is locked. */
  live(sql: Db, content: Content, contentId: number, id: number): Fragment
}

/** Pins of content, which administrators decide on. */
export const pinsOfContent = (
  content: Content,
  { channel, noticeOf }: { channel: string; noticeOf(pin: PinRow): SystemType },
): PinOptions => ({
  channel,
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

/** What is the same in the pins of comments under all content. */
export const commentPinKind = (
  content: Content,
  comments: CommentLookup,
  { channel, notice }: { channel: string; notice: SystemType },
): PinKind & { tag: ApiTag; noun: string } => ({
  channel,
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

/** Pins of the comments under content, which its author decides on. */
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
