import { wireTime, zuluTimeOrNull } from '#lib/time.ts'
import { findCollected } from '#modules/collections/index.ts'
import {
  commentsWithPeople,
  commentUserIds,
  commentView,
  listLatestComments,
} from '#modules/comments/index.ts'
import type { FileView } from '#modules/files/index.ts'
import { findLiked } from '#modules/likes/index.ts'
import { sumRewards } from '#modules/rewards/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { groupsById } from '../view.ts'
import { findImages, findPosts, type ImageRow, type PostRow, viewsOf } from './queries.ts'
import { POSTS, type PostItem } from './schema.ts'

const PREVIEW = 5

const imageView = ({ file, size, mime }: ImageRow): FileView => ({ id: file, file, size, mime })

export async function imagesOf(
  ctx: Context,
  rows: { id: number; has_images: boolean }[],
  sql: Db = ctx.sql,
): Promise<Map<number, FileView[]>> {
  const ids = rows.filter((row) => row.has_images).map(({ id }) => id)
  const images = ids.length === 0 ? [] : await findImages(sql, ids)
  return new Map(
    [...Map.groupBy(images, (image) => image.post_id)].map(([id, found]) => [id, found.map(imageView)]),
  )
}

export async function postItems(
  ctx: Context,
  rows: PostRow[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<PostItem[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const counts = viewsOf(ctx)
  const commented = rows.filter((row) => row.comments_count > 0).map(({ id }) => id)
  const [latest, groups, liked, collected, images, rewards] = await Promise.all([
    commented.length > 0
      ? listLatestComments(sql, {
          type: POSTS,
          contents: sql`select id, '' as version from unnest(${commented}::bigint[]) as asked (id)`,
          each: PREVIEW,
          hideFrom: viewerId,
        })
      : [],
    groupsById(ctx, [...new Set(rows.map((row) => row.group_id))], viewerId, sql),
    findLiked(sql, POSTS, ids, viewerId),
    findCollected(sql, POSTS, ids, viewerId),
    imagesOf(ctx, rows, sql),
    sumRewards(sql, POSTS, ids),
  ])
  const authors = rows.map((row) => row.user_id)
  const people = await userViews(ctx, sql, [...authors, ...commentUserIds(latest)], viewerId)
  const commentsOf = Map.groupBy(latest, ({ commentable_id }) => commentable_id)
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
    comments: commentsWithPeople(
      (commentsOf.get(row.id) ?? []).map(({ version: _, ...comment }) => commentView(comment)),
      people,
    ),
  }))
}

export async function postsById(
  ctx: Context,
  ids: number[],
  viewerId: number,
): Promise<Map<number, PostItem>> {
  if (ids.length === 0) return new Map()
  const views = await postItems(ctx, await findPosts(ctx.sql, ids, viewerId), viewerId)
  return new Map(views.map((view) => [view.id, view]))
}
