import { wireTime, zuluTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { findCollected } from '#modules/collections/index.ts'
import type { FileView } from '#modules/files/index.ts'
import { findLiked } from '#modules/likes/index.ts'
import { sumRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import { groupsById } from '../view.ts'
import { findImages, findPosts, type ImageRow, type PostRow, viewsOf } from './queries.ts'
import { POSTS, type PostItem } from './schema.ts'

/** A picture of a post as clients get it. */
const imageView = ({ file, size, mime }: ImageRow): FileView => ({ id: file, file, size, mime })

/** The pictures of those of these posts that have any. */
export async function imagesOf(
  ctx: Context,
  rows: { id: number; has_images: boolean }[],
): Promise<Map<number, FileView[]>> {
  const ids = rows.filter((row) => row.has_images).map(({ id }) => id)
  const images = ids.length === 0 ? [] : await findImages(ctx.sql, ids)
  return new Map(
    [...Map.groupBy(images, (image) => image.post_id)].map(([id, found]) => [id, found.map(imageView)]),
  )
}

/** Rows as lists show them, in their order: one statement for each kind of content that the page has any of. */
export async function postItems(ctx: Context, rows: PostRow[], viewerId: number): Promise<PostItem[]> {
  if (rows.length === 0) return []
  const { sql } = ctx
  const ids = rows.map(({ id }) => id)
  const counts = viewsOf(ctx)
  const [people, groups, liked, collected, images, rewards] = await Promise.all([
    userViews(
      ctx,
      sql,
      rows.map((row) => row.user_id),
      viewerId,
    ),
    groupsById(ctx, [...new Set(rows.map((row) => row.group_id))], viewerId),
    findLiked(sql, POSTS, ids, viewerId),
    findCollected(sql, POSTS, ids, viewerId),
    imagesOf(ctx, rows),
    sumRewards(sql, POSTS, ids),
  ])
  return rows.map((row) => ({
    id: row.id,
    group_id: row.group_id,
    user_id: row.user_id,
    title: row.title,
    summary: row.summary,
    likes_count: row.likes_count,
    comments_count: row.comments_count,
    collections_count: row.collections_count,
    views_count: row.views_count + counts.pending(row.id),
    reward_amount: rewards.get(row.id)?.amount ?? 0,
    reward_number: rewards.get(row.id)?.count ?? 0,
    excellent_at: zuluTimeOrNull(row.excellent_at),
    liked: liked.has(row.id),
    collected: collected.has(row.id),
    images: images.get(row.id) ?? [],
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    user: people.get(row.user_id) ?? null,
    group: groups.get(row.group_id) ?? null,
  }))
}

/** Posts by id that the viewer may read. */
export async function postsById(
  ctx: Context,
  ids: number[],
  viewerId: number,
): Promise<Map<number, PostItem>> {
  if (ids.length === 0) return new Map()
  const views = await postItems(ctx, await findPosts(ctx.sql, ids, viewerId), viewerId)
  return new Map(views.map((view) => [view.id, view]))
}
