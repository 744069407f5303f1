import { hasAbility } from '#modules/abilities/index.ts'
import type { CommentRules } from '#modules/comments/index.ts'
import { cancelPinOfTarget } from '#modules/pinning/index.ts'
import type { Content, Counts, Reader } from '#platform/content.ts'
import type { Db } from '#platform/database.ts'
import { memberDisabled, noSuchPost } from '../errors.ts'
import { COMMENT_PIN } from '../pins/schema.ts'
import { findStanding, type Standing } from '../standing/queries.ts'
import { manages } from '../standing/service.ts'
import { findGroupOf, findReaders, findTarget, findVisiblePosts } from './queries.ts'
import { POSTS } from './schema.ts'
import { postsById } from './view.ts'

/** Posts as content that is commented on, liked, collected and reported. */
export const postContent: Content = {
  type: POSTS,
  param: 'post',
  noun: 'GroupPost',
  tag: 'Groups',
  find: findTarget,
  live: (sql, id) => sql`select id from group_posts where id = ${id}`,
}

/** Posts in lists that mix kinds. */
export const postReader: Reader = { visible: findVisiblePosts, views: postsById, closed: true }

export const countLikes: Counts = (sql) => [
  sql`update group_posts p set likes_count = p.likes_count + c.by from changed c where p.id = c.id`,
]
export const countCollections: Counts = (sql) => [
  sql`update group_posts p set collections_count = p.collections_count + c.by from changed c where p.id = c.id`,
]
const countComments: Counts = (sql) => [
  sql`update group_posts p set comments_count = p.comments_count + c.by,
        replied_at = case when c.by > 0 then now() else p.replied_at end
      from changed c where p.id = c.id`,
]

/** What the viewer is in the group of a post. */
export async function standingAt(sql: Db, postId: number, viewerId: number): Promise<Standing> {
  const groupId = await findGroupOf(sql, postId)
  const standing = groupId === undefined ? undefined : await findStanding(sql, groupId, viewerId)
  if (!standing) throw noSuchPost()
  return standing
}

/** What the viewer is in the group of a post; 403 for who is on its blacklist, who writes nothing (groups-12). */
export async function requireWriter(sql: Db, postId: number, viewerId: number): Promise<Standing> {
  const standing = await standingAt(sql, postId, viewerId)
  if (standing.member?.disabled) throw memberDisabled()
  return standing
}

/** Which of these people may read a post. */
export async function readersOf(sql: Db, { id }: { id: number }, userIds: number[]): Promise<number[]> {
  const group = await findGroupOf(sql, id)
  return group === undefined ? [] : findReaders(sql, group, userIds)
}

/** Comments of posts: their author deletes them, a manager of the group, and who administers groups (groups-25). */
export const commentRules: CommentRules = {
  count: countComments,
  readers: readersOf,
  async onRemove(tx, comment) {
    await cancelPinOfTarget(tx, COMMENT_PIN, comment.id)
  },
  async mayModerate(ctx, target, viewerId) {
    return (
      manages(await standingAt(ctx.sql, target.id, viewerId)) || hasAbility(ctx, viewerId, 'admin: groups')
    )
  },
}
