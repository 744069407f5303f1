import { hasAbility } from '#modules/abilities/index.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { publishEvent, takeBack } from '#modules/notifications/index.ts'
import { cancelPinOfTarget, cancelPinsOfContent } from '#modules/pinning/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Removal } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { forbidden } from '#platform/errors.ts'
import {
  feedFromRequired,
  imagesRequired,
  noFeedCopies,
  noSuchGroup,
  noSuchPost,
  notAudited,
  roleMayNotPost,
} from '../errors.ts'
import { COMMENT_PIN, POST_PIN } from '../pins/schema.ts'
import type { Standing } from '../standing/queries.ts'
import { getStanding, isActive, manages, requireActive } from '../standing/service.ts'
import { tellMentioned } from './mentions.ts'
import {
  deletePost,
  findGroupOf,
  findImages,
  findPost,
  insertPost,
  replaceImages,
  updatePost,
} from './queries.ts'
import { NewPost, POSTS, type Post } from './schema.ts'
import { postItems } from './view.ts'

/** Where uploads of posts belong. */
const CHANNEL = 'group:post'
const SCREENED: ('title' | 'body' | 'summary')[] = ['title', 'body', 'summary']

/** Copies a post to its author's feed, in the transaction that publishes it; given by the module of feeds. */
export type CopyToFeed = (
  ctx: Context,
  tx: Tx,
  post: { userId: number; postId: number; title: string; from: number },
) => Promise<unknown>

/** The group for who may read its posts; others do not know of them (groups-16). */
export async function getReadable(sql: Db, groupId: number, viewerId: number): Promise<Standing> {
  const group = await getStanding(sql, groupId, viewerId)
  if (group.mode !== 'public' && !isActive(group)) throw noSuchGroup()
  return group
}

/** The group for who may post in it; 403 and 422 for others, in the order of groups-18. */
export async function getWritable(sql: Db, groupId: number, userId: number): Promise<Standing> {
  const group = await getStanding(sql, groupId, userId)
  if (group.audit !== 1) throw notAudited()
  requireActive(group)
  if (!group.permissions.includes(group.member!.role)) throw roleMayNotPost()
  return group
}

/** The post of the path for its author, who may still write in the group. */
export async function getOwnPost(
  sql: Db,
  groupId: number,
  postId: number,
  userId: number,
): Promise<Post['id']> {
  const post = await findPost(sql, groupId, postId, userId)
  if (!post) throw noSuchPost()
  if (post.user_id !== userId) throw forbidden()
  requireActive(await getStanding(sql, groupId, userId))
  return post.id
}

const idsOf = (images: NonNullable<NewPost['images']>) => [
  ...new Set(images.map((image) => (typeof image === 'object' ? image.id : image))),
]

function valuesOf({ title, body, summary, images = [] }: NewPost) {
  if (summary === '' && images.length === 0) throw imagesRequired()
  return { title, body, summary, hasImages: images.length > 0 }
}

/** Gives a post its pictures: those it had stay, new ones are taken, and what is left over goes. */
async function setImages(tx: Tx, ownerId: number, postId: number, ids: number[]): Promise<void> {
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
  const dropped = [...had.keys()].filter((id) => !ids.includes(id))
  if (dropped.length > 0) await detachFiles(tx, { ids: dropped })
}

/** Publishes a post; with `sync_feed` a copy of it appears in the author's feed (groups-19). */
export async function publishPost(
  ctx: Context,
  { id: groupId, mode, allow_feed: allowsCopies }: Standing,
  userId: number,
  body: NewPost,
  copyToFeed: CopyToFeed,
): Promise<number> {
  const values = valuesOf(await screen(ctx, body, NewPost, SCREENED))
  const from = body.sync_feed ? body.feed_from : undefined
  if (body.sync_feed) {
    if (from === undefined) throw feedFromRequired()
    // A feed is for everybody, and the copy has the title of the post.
    if (!allowsCopies || mode !== 'public') throw noFeedCopies()
    if (!(await hasAbility(ctx, userId, 'feed-post'))) throw forbidden()
  }
  const images = idsOf(body.images ?? [])
  return transaction(ctx.sql, async (tx) => {
    const id = await insertPost(tx, groupId, userId, values)
    if (id === undefined) {
      await getWritable(tx, groupId, userId)
      throw forbidden()
    }
    if (images.length > 0) await setImages(tx, userId, id, images)
    if (from !== undefined) await copyToFeed(ctx, tx, { userId, postId: id, title: values.title, from })
    await tellMentioned(tx, { groupId, postId: id, userId, text: values.body })
    await publishEvent(ctx, tx, 'post.created', { id, group_id: groupId, user_id: userId })
    return id
  })
}

/** Changes a post as its author. */
export async function changePost(ctx: Context, postId: number, userId: number, body: NewPost): Promise<void> {
  const values = valuesOf(await screen(ctx, body, NewPost, SCREENED))
  await transaction(ctx.sql, async (tx) => {
    if (!(await updatePost(tx, postId, userId, values))) throw noSuchPost()
    await setImages(tx, userId, postId, idsOf(body.images ?? []))
  })
}

/** Deletes a post with all that is on it, in the caller's transaction. */
export async function removePost(tx: Tx, groupId: number, postId: number): Promise<void> {
  if (!(await deletePost(tx, groupId, postId))) throw noSuchPost()
  await cancelPinsOfContent(tx, [COMMENT_PIN], postId)
  await cancelPinOfTarget(tx, POST_PIN, postId)
  await deleteLikesOf(tx, POSTS, [postId])
  await deleteCommentsOf(tx, POSTS, [postId])
  await deleteCollectionsOf(tx, POSTS, [postId])
  await detachFiles(tx, { channel: CHANNEL, raws: [postId] })
  await takeBack(tx, { cause: { type: POSTS, id: postId } })
}

/** Deletes a post as its author or a manager of the group. */
export async function deleteOwnPost(
  ctx: Context,
  groupId: number,
  postId: number,
  userId: number,
): Promise<void> {
  const post = await findPost(ctx.sql, groupId, postId, userId)
  if (!post) throw noSuchPost()
  if (post.user_id !== userId && !manages(await getStanding(ctx.sql, groupId, userId))) throw forbidden()
  await transaction(ctx.sql, async (tx) => {
    await removePost(tx, groupId, postId)
    await publishEvent(ctx, tx, 'post.deleted', { id: postId, group_id: groupId, deleted_by: userId })
  })
}

/** A post by itself, with its text. */
export async function getPost(
  ctx: Context,
  groupId: number,
  postId: number,
  viewerId: number,
): Promise<Post> {
  const row = await findPost(ctx.sql, groupId, postId, viewerId)
  if (!row) throw noSuchPost()
  const [item] = await postItems(ctx, [row], viewerId)
  return { ...item!, body: row.body }
}

/** Removes a post as a moderator of the site. */
export const postRemoval: Removal = {
  ability: 'admin: groups',
  async remove(ctx, tx, id, moderatorId) {
    const groupId = await findGroupOf(tx, id)
    if (groupId === undefined) throw noSuchPost()
    await removePost(tx, groupId, id)
    await publishEvent(ctx, tx, 'post.deleted', { id, group_id: groupId, deleted_by: moderatorId })
  },
}
