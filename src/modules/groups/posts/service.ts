import {
  type Content,
  type ContentReader,
  type ContentRemoval,
  type Counts,
  EXCERPT_LENGTH,
} from '#contracts/content.ts'
import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { type CommentRules, deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, attachUnattached, detachFiles } from '#modules/files/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { withdrawContent } from '#modules/notifications/index.ts'
import { cancelPinOfTarget, cancelPinsOfContent } from '#modules/pinning/index.ts'
import { deleteMentions, recordMentions } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { forbidden } from '#platform/errors.ts'
import { findGroupAccess, type GroupAccess, isClosed } from '../access/queries.ts'
import { getGroupAccess, isActiveMember, manages, requireActiveMember } from '../access/service.ts'
import {
  feedFromRequired,
  imagesRequired,
  memberDisabled,
  noFeedCopies,
  noSuchGroup,
  noSuchPost,
  notAudited,
  roleMayNotPost,
} from '../errors.ts'
import { COMMENT_PIN, POST_PIN } from '../pins/schema.ts'
import {
  deletePost,
  findAuthor,
  findGroupOf,
  findImages,
  findPost,
  findReaders,
  findTarget,
  findVisiblePosts,
  insertPost,
  replaceImages,
  updatePost,
} from './queries.ts'
import { NewPost, POSTS, type Post } from './schema.ts'
import { postItems, postsById } from './view.ts'

const CHANNEL = 'group:post'
const SCREENED: ('title' | 'body' | 'summary')[] = ['title', 'body', 'summary']

/** Copies a post into a feed of its author, in the same transaction. Injected by `feeds`. */
export type CopyToFeed = (
  ctx: Context,
  tx: Tx,
  post: { userId: number; postId: number; title: string; from: number },
) => Promise<unknown>

/** Throws 404 unless the viewer may read the group's posts (groups-16). */
export async function getReadable(sql: Db, groupId: number, viewerId: number): Promise<GroupAccess> {
  const group = await getGroupAccess(sql, groupId, viewerId)
  if (group.mode !== 'public' && !isActiveMember(group)) throw noSuchGroup()
  return group
}

/** Throws 404, 403 or 422 unless the user may post in the group. Rule groups-18 orders the checks. */
export async function getWritable(sql: Db, groupId: number, userId: number): Promise<GroupAccess> {
  const group = await getGroupAccess(sql, groupId, userId)
  if (group.audit !== 1) throw notAudited()
  requireActiveMember(group)
  if (!group.permissions.includes(group.member!.role)) throw roleMayNotPost()
  return group
}

export async function getOwnPost(
  sql: Db,
  groupId: number,
  postId: number,
  userId: number,
): Promise<Post['id']> {
  const post = await findPost(sql, groupId, postId, userId)
  if (!post) throw noSuchPost()
  if (post.user_id !== userId) throw forbidden()
  requireActiveMember(await getGroupAccess(sql, groupId, userId))
  return post.id
}

const idsOf = (images: NonNullable<NewPost['images']>) => [
  ...new Set(images.map((image) => (typeof image === 'object' ? image.id : image))),
]

function valuesOf({ title, body, summary, images = [] }: NewPost) {
  if (summary === '' && images.length === 0) throw imagesRequired()
  return { title, body, summary, hasImages: images.length > 0 }
}

async function setImages(
  tx: Tx,
  ownerId: number,
  postId: number,
  ids: number[],
  body: string,
): Promise<void> {
  const had = new Map((await findImages(tx, [postId])).map((image) => [image.file, image]))
  const added = ids.filter((id) => !had.has(id))
  const taken = await attachFiles(tx, {
    ids: added,
    ownerId,
    channel: CHANNEL,
    raw: postId,
    field: 'images',
    kind: 'image',
  })
  await replaceImages(
    tx,
    postId,
    ids.map((file) => {
      const { size, mime } = had.get(file) ?? taken.get(file)!
      return { file, size, mime }
    }),
  )
  const named = findAttachments(body)
  await attachUnattached(tx, { ids: named, ownerId, channel: CHANNEL, raw: postId })
  const dropped = [...had.keys()].filter((id) => !ids.includes(id) && !named.includes(id))
  if (dropped.length > 0) await detachFiles(tx, { ids: dropped })
}

/**
 * Checks a new post. The returned function publishes it, and with `sync_feed` also publishes it as a feed of its author
 * (groups-19).
 */
export async function preparePost(
  ctx: Context,
  group: GroupAccess,
  userId: number,
  body: NewPost,
  copyToFeed: CopyToFeed,
): Promise<(tx: Tx) => Promise<number>> {
  const { id: groupId, mode, allow_feed: allowsCopies } = group
  const values = valuesOf(await screenWords(ctx, body, NewPost, SCREENED))
  const from = body.sync_feed ? body.feed_from : undefined
  if (body.sync_feed) {
    if (from === undefined) throw feedFromRequired()
    // Rejects copies of posts in private and paid groups, because a feed is public and contains the post's
    // title.
    if (!allowsCopies || mode !== 'public') throw noFeedCopies()
    if (!(await hasAbility(ctx, userId, 'feed-post'))) throw forbidden()
  }
  const images = idsOf(body.images ?? [])
  return async (tx) => {
    const id = await insertPost(tx, groupId, userId, values)
    if (id === undefined) {
      await getWritable(tx, groupId, userId)
      throw forbidden()
    }
    await setImages(tx, userId, id, images, values.body)
    if (from !== undefined) await copyToFeed(ctx, tx, { userId, postId: id, title: values.title, from })
    const isOpen = !isClosed(group)
    const readers = (ids: number[]) => findReaders(tx, groupId, ids)
    const post = { type: POSTS, id }
    await recordMentions(tx, userId, post, values.body, {
      format: 'markdown',
      excerpt: plainText(values.body, EXCERPT_LENGTH),
      readers,
      hidesRecipients: !isOpen,
    })
    const author = isOpen ? { user_id: userId } : {}
    await publishEvent(ctx, tx, 'post.created', { id, group_id: groupId, ...author })
    return id
  }
}

export async function changePost(ctx: Context, postId: number, userId: number, body: NewPost): Promise<void> {
  const values = valuesOf(await screenWords(ctx, body, NewPost, SCREENED))
  await transaction(ctx.sql, async (tx) => {
    if (!(await updatePost(tx, postId, userId, values))) throw noSuchPost()
    await setImages(tx, userId, postId, idsOf(body.images ?? []), values.body)
    const group = await standingAt(tx, postId, userId)
    await recordMentions(tx, userId, { type: POSTS, id: postId }, values.body, {
      format: 'markdown',
      excerpt: plainText(values.body, EXCERPT_LENGTH),
      isEdit: true,
      readers: (ids) => findReaders(tx, group.id, ids),
      hidesRecipients: isClosed(group),
    })
  })
}

export async function removePost(tx: Tx, groupId: number, postId: number): Promise<void> {
  if (!(await deletePost(tx, groupId, postId))) throw noSuchPost()
  await cancelPinsOfContent(tx, [COMMENT_PIN], postId)
  await cancelPinOfTarget(tx, POST_PIN, postId)
  await deleteLikesOf(tx, POSTS, [postId])
  await deleteCommentsOf(tx, POSTS, [postId])
  await deleteCollectionsOf(tx, POSTS, [postId])
  await detachFiles(tx, { channel: CHANNEL, raws: [postId] })
  await deleteMentions(tx, POSTS, [postId])
  await withdrawContent(tx, { type: POSTS, ids: [postId] })
}

export async function deleteOwnPost(
  ctx: Context,
  groupId: number,
  postId: number,
  userId: number,
): Promise<void> {
  const post = await findPost(ctx.sql, groupId, postId, userId)
  if (!post) throw noSuchPost()
  if (post.user_id !== userId && !manages(await getGroupAccess(ctx.sql, groupId, userId))) throw forbidden()
  await transaction(ctx.sql, async (tx) => {
    await removePost(tx, groupId, postId)
    await publishEvent(ctx, tx, 'post.deleted', { id: postId, group_id: groupId })
  })
}

export async function getPost(
  ctx: Context,
  groupId: number,
  postId: number,
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<Post> {
  const row = await findPost(sql, groupId, postId, viewerId)
  if (!row) throw noSuchPost()
  const [item] = await postItems(ctx, [row], viewerId, sql)
  return { ...item!, body: row.body }
}

export const postRemoval: ContentRemoval = {
  ability: 'admin: groups',
  ofAuthor: (sql, userId) => sql`select id from group_posts where user_id = ${userId}`,
  async remove(ctx, tx, id) {
    const groupId = await findGroupOf(tx, id)
    if (groupId === undefined) throw noSuchPost()
    await removePost(tx, groupId, id)
    await publishEvent(ctx, tx, 'post.deleted', { id, group_id: groupId })
  },
}

export const postContent: Content = {
  type: POSTS,
  param: 'post',
  noun: 'GroupPost',
  tag: 'Groups',
  find: findTarget,
  live: (sql, id) => sql`select id from group_posts where id = ${id}`,
}

export const postReader: ContentReader = {
  visible: findVisiblePosts,
  views: postsById,
  closed: true,
  author: findAuthor,
}

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

export async function standingAt(sql: Db, postId: number, viewerId: number): Promise<GroupAccess> {
  const groupId = await findGroupOf(sql, postId)
  const standing = groupId === undefined ? undefined : await findGroupAccess(sql, groupId, viewerId)
  if (!standing) throw noSuchPost()
  return standing
}

/** Throws 403 for a user on the group's blacklist (groups-12). */
export async function requireWriter(sql: Db, postId: number, viewerId: number): Promise<GroupAccess> {
  const standing = await standingAt(sql, postId, viewerId)
  if (standing.member?.disabled) throw memberDisabled()
  return standing
}

export async function readersOf(sql: Db, { id }: { id: number }, userIds: number[]): Promise<number[]> {
  const group = await findGroupOf(sql, id)
  return group === undefined ? [] : findReaders(sql, group, userIds)
}

/** Lets authors, managers of the group and site administrators delete comments (groups-25). */
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
