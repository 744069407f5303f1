import {
  type Content,
  type ContentReaders,
  type ContentRemoval,
  type Counts,
  findAnonymous,
  findVisible,
  type Target,
} from '#contracts/content.ts'
import { fillPage } from '#lib/lists.ts'
import { wireTime, zuluTime } from '#lib/time.ts'
import { notify, planNotices, type SystemType, withdrawContent } from '#modules/notifications/index.ts'
import {
  contactRefused,
  deleteMentions,
  findMentioned,
  requireContact,
  saveMentions,
  type UserView,
  userViews,
} from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords } from '#modules/words/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { blocked, forbidden, notFound } from '#platform/errors.ts'
import { deletionInBatches } from '#platform/jobs'
import {
  type CommentRow,
  claimMark,
  deleteComment,
  deleteOldMarks,
  deleteSomeComments,
  findComment,
  findComments,
  insertComment,
  searchComments,
} from './queries.ts'
import {
  type Comment,
  type CommentSearch,
  type CommentWithPeople,
  NewComment,
  sentTwice,
  typeMissing,
  unknownPerson,
} from './schema.ts'

/**
 * Sets `target_user`, the owner of the content, to 0 unless the owner is the viewer, because the owner may be
 * anonymous.
 */
export const withoutOwner = <Row extends { target_user: number }>(rows: Row[], viewerId: number): Row[] =>
  rows.map((row) => (row.target_user === viewerId ? row : { ...row, target_user: 0 }))

export const commentView = (row: CommentRow): Comment => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export const commentUserIds = (rows: Pick<Comment, 'user_id' | 'reply_user'>[]): number[] =>
  rows.flatMap((row) => [row.user_id, row.reply_user])

export const commentsWithPeople = (comments: Comment[], people: Map<number, UserView>): CommentWithPeople[] =>
  comments.map((comment) => ({
    ...comment,
    user: people.get(comment.user_id) ?? null,
    reply: people.get(comment.reply_user) ?? null,
  }))

export async function withPeople(
  ctx: Context,
  rows: CommentRow[],
  viewerId: number,
): Promise<CommentWithPeople[]> {
  return commentsWithPeople(
    rows.map(commentView),
    await userViews(ctx, ctx.sql, commentUserIds(rows), viewerId),
  )
}

export async function commentViews(
  ctx: Context,
  ids: number[],
  viewerId: number,
): Promise<Map<number, CommentWithPeople>> {
  if (ids.length === 0) return new Map()
  const views = await withPeople(ctx, await findComments(ctx.sql, ids), viewerId)
  return new Map(views.map((view) => [view.id, view]))
}

export const foundComment = (row: CommentRow) => ({
  id: row.id,
  user_id: row.user_id,
  target_user: row.target_user,
  reply_user: row.reply_user,
  body: row.body,
  resourceable: { type: row.commentable_type, id: row.commentable_id },
  created_at: zuluTime(row.created_at),
})

export type CommentRules = {
  count?: Counts
  mentions?: boolean
  /**
   * Returns the users among `userIds` who may read the content. Only they get notifications. Default: all of
   * `userIds`.
   */
  readers?(sql: Db, target: Target, userIds: number[]): Promise<number[]>
  mayModerate?(ctx: Context, target: Target, viewerId: number): Promise<boolean>
  removalNotice?: SystemType
  /** Deletes rows that depend on the comment, such as pins, in the transaction that deletes the comment. */
  onRemove?(tx: Tx, comment: CommentRow, target: Target, viewerId: number): Promise<void>
}

/** Checks a new comment. The returned function stores it and notifies its recipients. */
export async function prepareComment(
  ctx: Context,
  content: Content,
  rules: CommentRules,
  target: Target,
  userId: number,
  input: NewComment,
): Promise<(tx: Tx) => Promise<CommentRow>> {
  const {
    body,
    reply_user: replyUser = 0,
    comment_mark: mark,
  } = await screenWords(ctx, input, NewComment, ['body'])
  const origin = (id: number) => ({ senderId: userId, cause: { type: 'comments', id } })
  // Ignores a block by an anonymous owner, because an error would reveal the owner's identity.
  const ids = [target.hidden ? 0 : target.ownerId, replyUser].filter((id) => id > 0)
  const text = rules.mentions === false ? '' : body
  const isContact = !target.hidden && target.ownerId > 0
  // Starts before the lookup of the mentioned people, so that both share a round trip. Their errors come first.
  const contact = isContact ? requireContact(ctx.sql, userId, target.ownerId, 'comments') : undefined
  contact?.catch(() => {})
  const { people, mentioned: named } = await findMentioned(ctx.sql, userId, text, 'plain', ids)
  if (replyUser > 0 && !people.some(({ id }) => id === replyUser)) throw unknownPerson()
  if (people.some(({ blocks }) => blocks)) throw blocked()
  if (named.some(({ refuses }) => refuses)) throw contactRefused()
  await contact
  const mentioned = named.map(({ id }) => id)
  const concerned = [target.ownerId, replyUser, ...mentioned]
  const readers = new Set((await rules.readers?.(ctx.sql, target, concerned)) ?? concerned)
  const mayRead = (id: number) => readers.has(id)
  return async (tx) => {
    const claiming = mark === undefined || claimMark(tx, userId, String(mark))
    const inserting = insertComment(tx, content, rules.count, {
      contentId: target.id,
      userId,
      targetUser: target.ownerId,
      replyUser,
      body,
    })
    const sentTo = (recipients: number[], type: 'comment' | 'at') => ({
      ...origin(0),
      type,
      recipients: recipients.filter(mayRead),
      data: { contents: body },
    })
    const plan = planNotices(tx, [
      sentTo([replyUser], 'comment'),
      sentTo([target.ownerId], 'comment'),
      sentTo(mentioned, 'at'),
    ])
    const [isClaimed, comment] = await Promise.all([claiming, inserting])
    if (!isClaimed) throw sentTwice()
    if (!comment) throw notFound()
    await saveMentions(tx, { type: 'comments', id: comment.id }, named)
    const told = {
      ...origin(comment.id),
      type: 'comment' as const,
      data: { contents: body, commentable: { type: content.type, id: target.id } },
    }
    const reply = {
      ...told,
      recipients: [replyUser].filter(mayRead),
      hidesRecipients: target.closed || (target.hidden && replyUser === target.ownerId),
      data: { ...told.data, hasReply: true },
    }
    const owner = {
      ...told,
      recipients: [target.ownerId].filter(mayRead),
      hidesRecipients: target.closed || target.hidden,
      data: { ...told.data, hasReply: false },
    }
    const mention = {
      ...origin(comment.id),
      type: 'at' as const,
      recipients: mentioned.filter(mayRead),
      hidesRecipients: target.closed || (target.hidden && mentioned.includes(target.ownerId)),
      data: { contents: body, resource: { type: 'comments', id: comment.id } },
    }
    // The plan drops a second notification of the same type to a user, so `reply` takes precedence over `owner`.
    await plan.send([reply, owner, mention])
    await publishEvent(ctx, tx, 'comment.created', {
      id: comment.id,
      ...(target.closed ? {} : { user_id: userId }),
      commentable: { type: content.type, id: target.id },
    })
    return comment
  }
}

export async function removeComment(
  ctx: Context,
  content: Content,
  rules: CommentRules,
  target: Target,
  userId: number,
  commentId: number,
): Promise<void> {
  const comment = await findComment(ctx.sql, content.type, target.id, commentId)
  if (!comment) throw notFound()
  if (comment.user_id !== userId && !(await rules.mayModerate?.(ctx, target, userId))) throw forbidden()
  await transaction(ctx.sql, (tx) => deleteWithDependents(ctx, tx, content, rules, target, userId, commentId))
}

async function deleteWithDependents(
  ctx: Context,
  tx: Tx,
  content: Content,
  rules: CommentRules,
  target: Target,
  userId: number,
  commentId: number,
): Promise<CommentRow> {
  const gone = await deleteComment(tx, content, rules.count, target.id, commentId)
  if (!gone) throw notFound()
  await deleteMentions(tx, 'comments', [commentId])
  await withdrawContent(tx, { type: 'comments', ids: [commentId] })
  await publishEvent(ctx, tx, 'comment.deleted', {
    id: commentId,
    commentable: { type: content.type, id: target.id },
  })
  await rules.onRemove?.(tx, gone, target, userId)
  if (rules.removalNotice && gone.user_id !== userId)
    await notify(tx, {
      type: 'system',
      recipients: [gone.user_id],
      senderId: 0,
      // A webhook event would reveal the recipient, who is the author of the deleted comment.
      hidesRecipients: true,
      cause: { type: 'comments', id: commentId },
      data: {
        type: rules.removalNotice,
        resource: { type: content.type, id: target.id },
        comment: { id: commentId, contents: gone.body },
      },
    })
  return gone
}

const mounted = defineState(() => new Map<string, { content: Content; rules: CommentRules }>())

export function noteRules(ctx: Context, content: Content, rules: CommentRules): void {
  mounted(ctx).set(content.type, { content, rules })
}

/**
 * Deletes a comment in the caller's transaction, even if the moderator cannot read the content. Throws 404 if
 * the comment is on other content.
 */
export async function removeCommentAsModerator(
  ctx: Context,
  tx: Tx,
  { type, id }: { type: string; id: number },
  commentId: number,
  moderatorId: number,
): Promise<CommentRow> {
  const on = mounted(ctx).get(type)
  if (!on) throw notFound()
  const target = { id, ownerId: 0, contents: '' }
  return deleteWithDependents(ctx, tx, on.content, on.rules, target, moderatorId, commentId)
}

export const commentRemoval: ContentRemoval = {
  ability: '[feed] Delete Comment',
  async remove(ctx, tx, id, moderatorId) {
    const [comment] = await findComments(tx, [id])
    if (!comment) throw notFound()
    const content = { type: comment.commentable_type, id: comment.commentable_id }
    await removeCommentAsModerator(ctx, tx, content, id, moderatorId)
  },
}

/** Callers must update user counters first, because the opposite lock order could deadlock. */
export const { deleteOf: deleteCommentsOf, tasks: deletionTasks } = deletionInBatches(
  'delete_comments',
  async (tx, type, contentIds) => {
    const { ids, more } = await deleteSomeComments(tx, type, contentIds)
    if (ids.length > 0) {
      await deleteMentions(tx, 'comments', ids)
      await withdrawContent(tx, { type: 'comments', ids })
    }
    return more
  },
)

export const tidyCommentMarks = (ctx: Context): Promise<void> => deleteOldMarks(ctx.sql)

export const commentContent = (readers: ContentReaders): Content => ({
  type: 'comments',
  param: 'comment',
  noun: 'Comment',
  tag: 'Comments',
  undeclared: true,
  async find(sql, id, viewerId) {
    const [comment] = await findComments(sql, [id])
    if (!comment) return undefined
    const { commentable_type: type, commentable_id: contentId } = comment
    const seen = await readers[type]?.visible(sql, [contentId], viewerId)
    return seen?.has(contentId) ? { id, ownerId: comment.user_id, contents: comment.body } : undefined
  },
  live: (sql, id) => sql`select id from comments where id = ${id}`,
})

/** Finds one page of GET /comments. Skips comments on content hidden from the viewer. */
export async function findVisibleComments(
  ctx: Context,
  readers: ContentReaders,
  query: CommentSearch,
  viewerId: number,
): Promise<CommentRow[]> {
  const see = async (rows: CommentRow[]) => {
    const references = rows.map((row) => ({ type: row.commentable_type, id: row.commentable_id }))
    const [seen, anonymous] = await Promise.all([
      findVisible(ctx.sql, readers, references, viewerId),
      findAnonymous(ctx.sql, readers, references),
    ])
    return rows.flatMap((row) => {
      const content = `${row.commentable_type}/${row.commentable_id}`
      if (!seen.has(content)) return []
      if (!anonymous.has(content) || row.target_user === viewerId) return [row]
      // Skips a comment if `for_user` matches only the owner of anonymous content, because the match would
      // reveal the owner.
      const foundByOwner = query.for_user !== undefined && row.target_user === query.for_user
      const isReply = query.for_type !== 'target' && row.reply_user === query.for_user
      return foundByOwner && !isReply ? [] : [{ ...row, target_user: 0 }]
    })
  }
  const { limit = 15, direction = 'desc', resourceable_type: type, resourceable_id: ids } = query
  if (query.id) {
    const rows = await see(await findComments(ctx.sql, query.id, viewerId))
    return rows.sort((a, b) => (direction === 'asc' ? a.id - b.id : b.id - a.id))
  }
  if (ids && type === undefined) throw typeMissing()
  const search = {
    types: Object.keys(readers),
    author: query.author,
    forUser: query.for_user,
    forType: query.for_type ?? 'all',
    content: ids && type !== undefined ? { type, ids } : undefined,
    direction,
    viewerId,
  }
  return fillPage(
    { after: query.index ?? 0, limit, batch: Math.min(limit * 2, 100) },
    (index, batch) => searchComments(ctx.sql, { ...search, index, limit: batch }),
    see,
  )
}
