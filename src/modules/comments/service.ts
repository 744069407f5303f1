import { findMentions } from '#lib/mentions.ts'
import { nameKey } from '#lib/text.ts'
import { findAddressed } from '#modules/accounts/index.ts'
import { notify, publishEvent, type SystemType, takeBack } from '#modules/notifications/index.ts'
import { screen } from '#modules/words/index.ts'
import {
  type Content,
  type Counts,
  findAnonymous,
  type Readers,
  type Removal,
  seeContent,
  type Target,
} from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { blocked, forbidden, notFound } from '#platform/errors.ts'
import { sentTwice, typeMissing, unknownPerson } from './errors.ts'
import {
  type CommentRow,
  claimMark,
  deleteAllComments,
  deleteComment,
  deleteOldMarks,
  findComment,
  findComments,
  insertComment,
  searchComments,
} from './queries.ts'
import { type CommentSearch, NewComment } from './schema.ts'

/** How comments behave on one kind of content. */
export type CommentRules = {
  /** Keeps the counter of comments of the content. */
  count?: Counts
  /** Whether people mentioned in a comment are looked for and told; yes unless false. */
  mentions?: boolean
  /** Who of these people may read the content; everybody where absent. Others are not told what is said there. */
  readers?(sql: Db, target: Target, userIds: number[]): Promise<number[]>
  /** Whether this person may delete the comments of others on this content. */
  mayModerate?(ctx: Context, target: Target, viewerId: number): Promise<boolean>
  /** What the author is told when a moderator deletes the comment; absent: nothing. */
  removalNotice?: SystemType
  /** What else ends with a comment, such as its pins, in the transaction that deletes it. */
  onRemove?(tx: Tx, comment: CommentRow, target: Target, viewerId: number): Promise<void>
}

/** Writes a comment, counts it and tells the owner, who is replied to, and who is mentioned. */
export async function writeComment(
  ctx: Context,
  content: Content,
  rules: CommentRules,
  target: Target,
  userId: number,
  input: NewComment,
): Promise<CommentRow> {
  const {
    body,
    reply_user: replyUser = 0,
    comment_mark: mark,
  } = await screen(ctx, input, NewComment, ['body'])
  const names = rules.mentions === false ? [] : findMentions(body).map(nameKey)
  const origin = (id: number) => ({ senderId: userId, cause: { type: 'comments', id } })
  // Whom an unknown owner blocks would tell who that is, so it only decides whether the owner is told.
  const ids = [target.hidden ? 0 : target.ownerId, replyUser].filter((id) => id > 0)
  const people = ids.length + names.length > 0 ? await findAddressed(ctx.sql, userId, ids, names) : []
  if (replyUser > 0 && !people.some(({ id }) => id === replyUser)) throw unknownPerson()
  if (people.some(({ blocks }) => blocks)) throw blocked()
  const mentioned = people.filter(({ name_key }) => names.includes(name_key)).map(({ id }) => id)
  const concerned = [target.ownerId, replyUser, ...mentioned]
  const readers = new Set((await rules.readers?.(ctx.sql, target, concerned)) ?? concerned)
  const mayRead = (id: number) => readers.has(id)
  return transaction(ctx.sql, async (tx) => {
    if (mark !== undefined && !(await claimMark(tx, userId, String(mark)))) throw sentTwice()
    const comment = await insertComment(tx, content, rules.count, {
      contentId: target.id,
      userId,
      targetUser: target.ownerId,
      replyUser,
      body,
    })
    if (!comment) throw notFound()
    const told = {
      ...origin(comment.id),
      type: 'comment' as const,
      data: { contents: body, commentable: { type: content.type, id: target.id } },
    }
    const reply = { ...told, recipients: [replyUser].filter(mayRead), data: { ...told.data, hasReply: true } }
    const owner = {
      ...told,
      recipients: [target.ownerId].filter(mayRead),
      data: { ...told.data, hasReply: false },
    }
    const mention = {
      ...origin(comment.id),
      type: 'at' as const,
      recipients: mentioned.filter(mayRead),
      data: { contents: body, resource: { type: 'comments', id: comment.id } },
    }
    // Of two notices of one comment to one person the first is kept.
    await notify(tx, [reply, owner, mention])
    await publishEvent(ctx, tx, 'comment.created', {
      id: comment.id,
      user_id: userId,
      commentable: { type: content.type, id: target.id },
    })
    return comment
  })
}

/** Deletes a comment of one's own, or with the right to moderate; its parent is part of its address. */
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
  await transaction(ctx.sql, (tx) => takeOut(ctx, tx, content, rules, target, userId, commentId))
}

/** Deletes a comment in the caller's transaction, with what hangs on it. */
async function takeOut(
  ctx: Context,
  tx: Tx,
  content: Content,
  rules: CommentRules,
  target: Target,
  userId: number,
  commentId: number,
): Promise<void> {
  const gone = await deleteComment(tx, content, rules.count, target.id, commentId)
  if (!gone) throw notFound()
  await takeBack(tx, { cause: { type: 'comments', id: commentId } })
  await publishEvent(ctx, tx, 'comment.deleted', {
    id: commentId,
    user_id: gone.user_id,
    commentable: { type: content.type, id: target.id },
  })
  await rules.onRemove?.(tx, gone, target, userId)
  if (rules.removalNotice && gone.user_id !== userId)
    await notify(tx, {
      type: 'system',
      recipients: [gone.user_id],
      senderId: 0,
      cause: { type: 'comments', id: commentId },
      data: {
        type: rules.removalNotice,
        resource: { type: content.type, id: target.id },
        comment: { id: commentId, contents: gone.body },
      },
    })
}

const mounted = new WeakMap<object, Map<string, { content: Content; rules: CommentRules }>>()

/** Remembers how comments behave on a kind of content, for moderators who remove one wherever it is. */
export function noteRules(ctx: Context, content: Content, rules: CommentRules): void {
  const known = mounted.get(ctx) ?? new Map()
  mounted.set(ctx, known.set(content.type, { content, rules }))
}

/** Removes a comment on content of any kind, also where the moderator could not read it. */
export const commentRemoval: Removal = {
  ability: '[feed] Delete Comment',
  async remove(ctx, tx, id, moderatorId) {
    const [comment] = await findComments(tx, [id])
    const on = comment && mounted.get(ctx)?.get(comment.commentable_type)
    if (!comment || !on) throw notFound()
    const target = { id: comment.commentable_id, ownerId: 0, contents: '' }
    await takeOut(ctx, tx, on.content, on.rules, target, moderatorId, id)
  },
}

/**
 * Deletes all comments of content that is deleted itself, with what people were told of them and have not read, in
 * the caller's transaction: best after what changes the counts of people, as a single comment does. Answers their ids.
 */
export async function deleteCommentsOf(tx: Db, type: string, contentIds: number[]): Promise<number[]> {
  const ids = await deleteAllComments(tx, type, contentIds)
  if (ids.length > 0) await takeBack(tx, { cause: { type: 'comments', id: ids } })
  return ids
}

/** Deletes marks of comments that were sent long ago. */
export const tidyCommentMarks = (ctx: Context): Promise<void> => deleteOldMarks(ctx.sql)

/** Comments as content that may be reported itself; on content that the viewer may not see they are unknown. */
export const commentContent = (readers: Readers): Content => ({
  type: 'comments',
  param: 'comment',
  noun: 'Comment',
  tag: 'Comments',
  async find(sql, id, viewerId) {
    const [comment] = await findComments(sql, [id])
    if (!comment) return undefined
    const { commentable_type: type, commentable_id: contentId } = comment
    const seen = await readers[type]?.visible(sql, [contentId], viewerId)
    return seen?.has(contentId) ? { id, ownerId: comment.user_id, contents: comment.body } : undefined
  },
  live: (sql, id) => sql`select id from comments where id = ${id}`,
})

const ROUNDS = 10

/**
 * One page of GET /comments: comments on content that the viewer may not see are passed over, and the page is filled from
 * what follows, so that a short page still means the end. A long run of hidden ones ends the page early.
 */
export async function findVisibleComments(
  ctx: Context,
  readers: Readers,
  query: CommentSearch,
  viewerId: number,
): Promise<CommentRow[]> {
  const see = async (rows: CommentRow[]) => {
    const references = rows.map((row) => ({ type: row.commentable_type, id: row.commentable_id }))
    const [seen, anonymous] = await Promise.all([
      seeContent(ctx.sql, readers, references, viewerId),
      findAnonymous(ctx.sql, readers, references),
    ])
    return rows.flatMap((row) => {
      const content = `${row.commentable_type}/${row.commentable_id}`
      if (!seen.has(content)) return []
      if (!anonymous.has(content) || row.target_user === viewerId) return [row]
      // Found by its owner, it would tell who that is.
      const foundByOwner = query.for_user !== undefined && row.target_user === query.for_user
      const isReply = query.for_type !== 'target' && row.reply_user === query.for_user
      return foundByOwner && !isReply ? [] : [{ ...row, target_user: 0 }]
    })
  }
  const { limit = 15, direction = 'desc', resourceable_type: type, resourceable_id: ids } = query
  if (query.id) {
    const rows = await see(await findComments(ctx.sql, query.id))
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
    limit: Math.min(limit * 2, 100),
  }
  const found: CommentRow[] = []
  let index = query.index ?? 0
  for (let round = 0; round < ROUNDS && found.length < limit; round += 1) {
    const rows = await searchComments(ctx.sql, { ...search, index })
    found.push(...(await see(rows)))
    index = rows.at(-1)?.id ?? 0
    if (rows.length < search.limit) break
  }
  return found.slice(0, limit)
}
