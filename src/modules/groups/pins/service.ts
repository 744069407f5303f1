import { findComment, findComments, lockableComment } from '#modules/comments/index.ts'
import { notify } from '#modules/notifications/index.ts'
import {
  commentPinKind,
  type DecisionOptions,
  findLastPin,
  type PinOptions,
  type PinSubject,
} from '#modules/pinning/index.ts'
import type { Db } from '#platform/database'
import { forbidden, notFound } from '#platform/errors.ts'
import { findFounderId } from '../access/queries.ts'
import { actingRank, isActiveMember } from '../access/service.ts'
import { memberDisabled, noSuchPost, notFounder, notManager, notMember } from '../errors.ts'
import { addPinIncome } from '../incomes.ts'
import { findTitle, holdGroupOf } from '../posts/queries.ts'
import { POSTS } from '../posts/schema.ts'
import { postContent, standingAt } from '../posts/service.ts'
import { rankOf } from '../schema.ts'
import { COMMENT_PIN, POST_PIN } from './schema.ts'

async function getPostFor(sql: Db, postId: number, viewerId: number) {
  const post = await postContent.find(sql, postId, viewerId)
  if (!post) throw noSuchPost()
  return { post, group: await standingAt(sql, postId, viewerId) }
}

export async function getManagedPost(sql: Db, postId: number, viewerId: number) {
  const found = await getPostFor(sql, postId, viewerId)
  if (actingRank(found.group) < rankOf('administrator')) throw notManager()
  return found
}

/**
 * Throws unless the user is an active member who wrote the post or manages the group. A manager's pin takes
 * effect at once (groups-26).
 */
async function getPinnablePost(sql: Db, postId: number, userId: number): Promise<PinSubject> {
  const { post, group } = await getPostFor(sql, postId, userId)
  const manages = actingRank(group) >= rankOf('administrator')
  if (post.ownerId !== userId && !manages) throw forbidden()
  if (!isActiveMember(group)) throw group.member?.disabled ? memberDisabled() : notMember()
  const deciderId = manages ? userId : await findFounderId(sql, group.id)
  return { contentId: group.id, targetId: postId, authorId: userId, deciderId }
}

async function getCommentSubject(sql: Db, commentId: number, userId: number): Promise<PinSubject> {
  const [comment] = await findComments(sql, [commentId])
  if (comment?.commentable_type !== POSTS) throw notFound()
  const post = await postContent.find(sql, comment.commentable_id, userId)
  if (!post) throw notFound()
  if ((await standingAt(sql, post.id, userId)).member?.disabled) throw memberDisabled()
  return {
    contentId: post.id,
    targetId: commentId,
    authorId: comment.user_id,
    deciderId: post.ownerId,
  }
}

async function getPinnableComment(sql: Db, commentId: number, userId: number): Promise<PinSubject> {
  const subject = await getCommentSubject(sql, commentId, userId)
  if (subject.deciderId === userId && subject.authorId !== userId) throw forbidden()
  return subject
}

/** Returns true for a deleted post, and for a post that guests cannot see. */
const isOfClosedGroup = async (sql: Db, postId: number): Promise<boolean> =>
  (await postContent.find(sql, postId, 0))?.closed ?? true

export const postPins: PinOptions = {
  channel: POST_PIN,
  content: postContent,
  tag: postContent.tag,
  noun: postContent.noun,
  path: '/currency-pinned/posts/:post',
  aliases: { requestGroupPostPinByOldPath: '/pinned/posts/:post' },
  freeIsPlain: true,
  find: (sql, { post = 0 }, viewerId) => getPinnablePost(sql, post, viewerId),
  // Reads the founder again under a lock, because the group may have been transferred since `find`.
  async hold(tx, { post = 0 }, viewerId) {
    await holdGroupOf(tx, post)
    return getPinnablePost(tx, post, viewerId)
  },
  errors: [noSuchPost, forbidden, memberDisabled, notMember],
  alive: (sql, { targetId }) => postContent.live(sql, targetId),
  hidesRecipients: (sql, { target_id: postId }) => isOfClosedGroup(sql, postId),
  async notice(sql, { target_id: id }) {
    return {
      type: 'group:post-pinned',
      post: { id, title: (await findTitle(sql, id)) ?? '' },
      resource: { type: POSTS, id },
    }
  },
  async onAccept(tx, pin) {
    if (pin.amount === 0) return
    const subject = (await findTitle(tx, pin.target_id)) ?? ''
    await addPinIncome(tx, { groupId: pin.thing_id, subject, amount: pin.amount, userId: pin.user_id })
  },
}

export const commentPins: PinOptions = {
  ...commentPinKind(
    postContent,
    { find: findComment, live: lockableComment },
    { channel: COMMENT_PIN, notice: 'group:comment-pinned' },
  ),
  path: '/currency-pinned/comments/:comment',
  aliases: { requestGroupPostCommentPinByOldPath: '/pinned/comments/:comment' },
  freeIsPlain: true,
  find: (sql, { comment = 0 }, viewerId) => getPinnableComment(sql, comment, viewerId),
  hold: (tx, { comment = 0 }, viewerId) => getPinnableComment(tx, comment, viewerId),
  errors: [noSuchPost, forbidden, memberDisabled],
  hidesRecipients: (sql, { thing_id: postId }) => isOfClosedGroup(sql, postId),
  // Notifies the decider of a comment pin. The founder receives no such notification for a post pin (groups-26).
  onRequest: async (tx, { contentId, targetId, authorId, deciderId }) =>
    notify(tx, {
      type: 'system',
      recipients: [deciderId],
      senderId: authorId,
      hidesRecipients: await isOfClosedGroup(tx, contentId),
      cause: { type: 'comments', id: targetId },
      data: {
        type: 'group:send-comment-pinned',
        resource: { type: 'comments', id: targetId },
        post: { id: contentId },
      },
    }),
}

/** Paths identify a pin request by the pinned content, because content has at most one pending request. */
const decisionsAt = (
  { path, noun }: PinOptions,
  of: Pick<DecisionOptions, 'find' | 'errors'>,
): DecisionOptions => {
  const olderPath = path.replace('/currency-pinned/', '/pinned/')
  return {
    accept: {
      path: `${path}/accept`,
      aliases: { [`accept${noun}PinByOldPath`]: `${olderPath}/accept` },
    },
    reject: {
      method: 'PATCH',
      path: `${path}/reject`,
      aliases: { [`reject${noun}PinByOldPath`]: `${olderPath}/reject` },
      status: 201,
    },
    ...of,
  }
}

export const postPinDecisions = decisionsAt(postPins, {
  async find(sql, { post = 0 }, viewerId) {
    if (actingRank((await getPostFor(sql, post, viewerId)).group) < rankOf('founder')) throw notFounder()
    return findLastPin(sql, POST_PIN, post)
  },
  errors: [noSuchPost, notFounder],
})

export const commentPinDecisions = decisionsAt(commentPins, {
  async find(sql, { comment = 0 }, viewerId) {
    if ((await getCommentSubject(sql, comment, viewerId)).deciderId !== viewerId) throw forbidden()
    return findLastPin(sql, COMMENT_PIN, comment)
  },
  errors: [noSuchPost, forbidden, memberDisabled],
})
