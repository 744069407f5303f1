import type { Content, ContentReader, Counts } from '#contracts/content.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import type { CommentRules } from '#modules/comments/index.ts'
import { cancelPinOfTarget } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database'
import { findGroupAccess, type GroupAccess } from '../access/queries.ts'
import { manages } from '../access/service.ts'
import { memberDisabled, noSuchPost } from '../errors.ts'
import { COMMENT_PIN } from '../pins/schema.ts'
import { findGroupOf, findReaders, findTarget, findVisiblePosts } from './queries.ts'
import { POSTS } from './schema.ts'
import { postsById } from './view.ts'

/** Posts as content for comments, likes, collections and reports. */
export const postContent: Content = {
  type: POSTS,
  param: 'post',
  noun: 'GroupPost',
  tag: 'Groups',
  find: findTarget,
  live: (sql, id) => sql`select id from group_posts where id = ${id}`,
}

/** Posts in mixed lists. */
export const postReader: ContentReader = { visible: findVisiblePosts, views: postsById, closed: true }

export const countLikes: Counts = (sql) => [
  sql`update group_posts p set likes_count = greatest(p.likes_count + c.by, 0) from changed c where p.id = c.id`,
]
export const countCollections: Counts = (sql) => [
  sql`update group_posts p set collections_count = greatest(p.collections_count + c.by, 0) from changed c where p.id = c.id`,
]
const countComments: Counts = (sql) => [
  sql`update group_posts p set comments_count = greatest(p.comments_count + c.by, 0),
        replied_at = case when c.by > 0 then now() else p.replied_at end
      from changed c where p.id = c.id`,
]

/** The viewer's standing in the group of a post. */
export async function standingAt(sql: Db, postId: number, viewerId: number): Promise<GroupAccess> {
  const groupId = await findGroupOf(sql, postId)
  const standing = groupId === undefined ? undefined : await findGroupAccess(sql, groupId, viewerId)
  if (!standing) throw noSuchPost()
  return standing
}

/** The viewer's standing in the group of a post. Throws 403 for a blacklisted user (groups-12). */
export async function requireWriter(sql: Db, postId: number, viewerId: number): Promise<GroupAccess> {
  const standing = await standingAt(sql, postId, viewerId)
  if (standing.member?.disabled) throw memberDisabled()
  return standing
}

/** Filters users to those with read access to a post. */
export async function readersOf(sql: Db, { id }: { id: number }, userIds: number[]): Promise<number[]> {
  const group = await findGroupOf(sql, id)
  return group === undefined ? [] : findReaders(sql, group, userIds)
}

/**
 * Comments on posts. Their author, managers of the group and site administrators of groups may delete them
 * (groups-25).
 */
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
