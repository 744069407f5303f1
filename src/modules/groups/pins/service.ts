import { findComment, findComments } from '#modules/comments/index.ts'
import type { PinKind, PinSubject } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { forbidden, notFound } from '#platform/errors.ts'
import { memberDisabled, noSuchPost, notMember } from '../errors.ts'
import { postContent, standingAt } from '../posts/content.ts'
import { findTitle, holdGroupOf } from '../posts/queries.ts'
import { POSTS } from '../posts/schema.ts'
import { findFounderId } from '../standing/queries.ts'
import { rankOf } from '../standing/schema.ts'
import { actingRank, isActive } from '../standing/service.ts'
import { COMMENT_PIN, POST_PIN } from './schema.ts'

/** Pins of posts at the head of their group. */
export const postPins: PinKind = {
  channel: POST_PIN,
  alive: (sql, { targetId }) => sql`select id from group_posts where id = ${targetId}`,
  async notice(sql, { target_id: id }) {
    return {
      type: 'group:post-pinned',
      post: { id, title: (await findTitle(sql, id)) ?? '' },
      resource: { type: POSTS, id },
    }
  },
}

/** Pins of comments at the head of their post. */
export const commentPins: PinKind = {
  channel: COMMENT_PIN,
  alive: (sql, { contentId, targetId }) => sql`
    select id from comments where commentable_type = ${POSTS} and commentable_id = ${contentId} and id = ${targetId}`,
  async notice(sql, { thing_id: post, target_id: id }) {
    const comment = await findComment(sql, POSTS, post, id)
    return {
      type: 'group:comment-pinned',
      comment: { id, contents: comment?.body ?? '' },
      post: { id: post },
      resource: { type: 'comments', id },
    }
  },
}

/** A post that the viewer may read, and what they are in its group. */
export async function getPostFor(sql: Db, postId: number, viewerId: number) {
  const post = await postContent.find(sql, postId, viewerId)
  if (!post) throw noSuchPost()
  return { post, group: await standingAt(sql, postId, viewerId) }
}

/**
 * A post whose pin somebody may ask for: its author or a manager, who decides at once (groups-26, groups-27). `lock`: the group is
 * not handed over meanwhile.
 */
export async function getPinnablePost(sql: Db, postId: number, userId: number, { lock = false } = {}) {
  if (lock) await holdGroupOf(sql, postId)
  const { post, group } = await getPostFor(sql, postId, userId)
  const manages = actingRank(group) >= rankOf('administrator')
  if (post.ownerId !== userId && !manages) throw forbidden()
  if (!isActive(group)) throw group.member?.disabled ? memberDisabled() : notMember()
  const deciderId = manages ? userId : await findFounderId(sql, group.id)
  const subject: PinSubject = { contentId: group.id, targetId: postId, authorId: userId, deciderId }
  return { subject, post, group, manages }
}

/** A comment whose pin its author may ask for; the author of the post decides. */
export async function getPinnableComment(sql: Db, commentId: number, userId: number) {
  const [comment] = await findComments(sql, [commentId])
  if (comment?.commentable_type !== POSTS) throw notFound()
  const post = await postContent.find(sql, comment.commentable_id, userId)
  if (!post) throw notFound()
  const group = await standingAt(sql, post.id, userId)
  if (group.member?.disabled) throw memberDisabled()
  const subject: PinSubject = {
    contentId: post.id,
    targetId: commentId,
    authorId: comment.user_id,
    deciderId: post.ownerId,
  }
  return { subject, comment, group }
}
