import { findComment, findComments, liveComment } from '#modules/comments/index.ts'
import { notify } from '#modules/notifications/index.ts'
import {
  commentPinKind,
  type DecisionOptions,
  findLastPin,
  type PinOptions,
  type PinSubject,
} from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { forbidden, notFound } from '#platform/errors.ts'
import { memberDisabled, noSuchPost, notFounder, notManager, notMember } from '../errors.ts'
import { addPinIncome } from '../incomes/queries.ts'
import { postContent, standingAt } from '../posts/content.ts'
import { findTitle, holdGroupOf } from '../posts/queries.ts'
import { POSTS } from '../posts/schema.ts'
import { findFounderId } from '../standing/queries.ts'
import { rankOf } from '../standing/schema.ts'
import { actingRank, isActive } from '../standing/service.ts'
import { COMMENT_PIN, POST_PIN } from './schema.ts'

/** A post that the viewer may read, and what they are in its group. */
async function getPostFor(sql: Db, postId: number, viewerId: number) {
  const post = await postContent.find(sql, postId, viewerId)
  if (!post) throw noSuchPost()
  return { post, group: await standingAt(sql, postId, viewerId) }
}

/** A post of a group that the viewer manages. */
export async function getManagedPost(sql: Db, postId: number, viewerId: number) {
  const found = await getPostFor(sql, postId, viewerId)
  if (actingRank(found.group) < rankOf('administrator')) throw notManager()
  return found
}

/** A post whose pin somebody may ask for: its author, or a manager, who decides at once (groups-26). */
async function getPinnablePost(sql: Db, postId: number, userId: number): Promise<PinSubject> {
  const { post, group } = await getPostFor(sql, postId, userId)
  const manages = actingRank(group) >= rankOf('administrator')
  if (post.ownerId !== userId && !manages) throw forbidden()
  if (!isActive(group)) throw group.member?.disabled ? memberDisabled() : notMember()
  const deciderId = manages ? userId : await findFounderId(sql, group.id)
  return { contentId: group.id, targetId: postId, authorId: userId, deciderId }
}

/** A comment under a post that somebody may read; the author of the post decides on its pin. */
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

/** Pins of posts at the head of their group, which its founder decides on. */
export const postPins: PinOptions = {
  channel: POST_PIN,
  tag: postContent.tag,
  noun: postContent.noun,
  path: '/currency-pinned/posts/:post',
  aliases: { requestGroupPostPinByOldPath: '/pinned/posts/:post' },
  freeIsPlain: true,
  find: (sql, { post = 0 }, viewerId) => getPinnablePost(sql, post, viewerId),
  // The group may have been handed over since, and is not from here on.
  async hold(tx, { post = 0 }, viewerId) {
    await holdGroupOf(tx, post)
    return getPinnablePost(tx, post, viewerId)
  },
  errors: [noSuchPost, forbidden, memberDisabled, notMember],
  alive: (sql, { targetId }) => postContent.live(sql, targetId),
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

/** Pins of comments at the head of their post, which its author decides on. */
export const commentPins: PinOptions = {
  ...commentPinKind(
    postContent,
    { find: findComment, live: liveComment },
    { channel: COMMENT_PIN, notice: 'group:comment-pinned' },
  ),
  path: '/currency-pinned/comments/:comment',
  aliases: { requestGroupPostCommentPinByOldPath: '/pinned/comments/:comment' },
  freeIsPlain: true,
  find: (sql, { comment = 0 }, viewerId) => getPinnableComment(sql, comment, viewerId),
  hold: (tx, { comment = 0 }, viewerId) => getPinnableComment(tx, comment, viewerId),
  errors: [forbidden, memberDisabled],
  // Who decides is told; posts have their list of requests for that (groups-26).
  onRequest: (tx, { contentId, targetId, authorId, deciderId }) =>
    notify(tx, {
      type: 'system',
      recipients: [deciderId],
      senderId: authorId,
      cause: { type: 'comments', id: targetId },
      data: {
        type: 'group:send-comment-pinned',
        resource: { type: 'comments', id: targetId },
        post: { id: contentId },
      },
    }),
}

/** Where requests are decided: the path names what is to be pinned, which has one open request at most. */
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
  errors: [forbidden, memberDisabled],
})
