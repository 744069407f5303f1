import { type Comment, type CommentRow, commentView, listLatestComments } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { defineFragments } from '#platform/memory'
import { FEEDS, type FeedRow } from './queries.ts'

export type ImageRow = Row<'feed_images', 'feed_id' | 'file' | 'size' | 'mime'>

export const findImages = (sql: Db, feedIds: number[]) => sql<ImageRow[]>`
  select feed_id, file, size, mime from feed_images where feed_id = any(${feedIds}) order by feed_id, position`

type VideoRow = Row<'feed_videos', 'feed_id' | 'video_id' | 'cover_id' | 'width' | 'height'>

const findVideos = (sql: Db, feedIds: number[]) => sql<VideoRow[]>`
  select feed_id, video_id, cover_id, width, height from feed_videos where feed_id = any(${feedIds})`

type NewImage = { file: number; size: string | null; mime: string }

export const insertImages = (sql: Db, feedId: number, images: NewImage[]) => sql`
  insert into feed_images (feed_id, position, file, size, mime)
  select ${feedId}, i.position, i.file, i.size, i.mime
  from jsonb_to_recordset(${sql.json(images.map((image, position) => ({ ...image, position })))})
    as i (position smallint, file bigint, size text, mime text)`

type NewVideo = { video: number; cover: number; width: number | null; height: number | null }

export const insertVideo = (sql: Db, feedId: number, { video, cover, width, height }: NewVideo) => sql`
  insert into feed_videos (feed_id, video_id, cover_id, width, height)
  values (${feedId}, ${video}, ${cover}, ${width}, ${height})`

export type Media = { images: ImageRow[]; video: VideoRow | undefined }

const mediaOf = defineFragments<Media>()

export async function findMedia(ctx: Context, feeds: FeedRow[]): Promise<Map<number, Media>> {
  const fragments = mediaOf(ctx)
  const found = new Map<number, Media>()
  const missing: FeedRow[] = []
  for (const feed of feeds) {
    if (!feed.has_images && !feed.has_video) continue
    const known = fragments.get(feed.id, feed.content_version)
    if (known) found.set(feed.id, known)
    else missing.push(feed)
  }
  if (missing.length === 0) return found
  const idsWith = (has: (row: FeedRow) => boolean) => missing.filter(has).map(({ id }) => id)
  const [withImages, withVideo] = [idsWith((row) => row.has_images), idsWith((row) => row.has_video)]
  const [images, videos] = await Promise.all([
    withImages.length > 0 ? findImages(ctx.sql, withImages) : [],
    withVideo.length > 0 ? findVideos(ctx.sql, withVideo) : [],
  ])
  const imagesOf = Map.groupBy(images, ({ feed_id }) => feed_id)
  const videoOf = new Map(videos.map((video) => [video.feed_id, video]))
  for (const { id, content_version: version } of missing) {
    const media = { images: imagesOf.get(id) ?? [], video: videoOf.get(id) }
    // Does not cache an empty result, because a lagging replica may not have the media yet.
    if (media.images.length > 0 || media.video) fragments.set(id, version, media)
    found.set(id, media)
  }
  return found
}

export const PREVIEW = 5

export type Previews = Map<number, Comment[]>

const previewsOf = defineFragments<Comment[]>()

async function read({ sql }: Context, ids: number[], hideFrom: number) {
  const contents = sql`select f.id, f.content_version as version from feeds f where f.id = any(${ids})`
  const rows = await listLatestComments(sql, { type: FEEDS, contents, each: PREVIEW, hideFrom })
  return Map.groupBy(rows, ({ commentable_id }) => commentable_id)
}

const viewsOf = (rows: (CommentRow & { version: string })[]): Comment[] =>
  rows.map(({ version: _, ...row }) => commentView(row))

/** Finds the newest comments regardless of blocks, so that all viewers share the cache. */
export async function findPreviews(ctx: Context, feeds: FeedRow[]): Promise<Previews> {
  const fragments = previewsOf(ctx)
  const found: Previews = new Map()
  const missing: number[] = []
  for (const { id, content_version: version, feed_comment_count: count } of feeds) {
    if (count === 0) continue
    const known = fragments.get(id, version)
    if (known) found.set(id, known)
    else missing.push(id)
  }
  for (const [id, rows] of missing.length > 0 ? await read(ctx, missing, 0) : []) {
    const views = viewsOf(rows)
    fragments.set(id, (rows[0] as { version: string }).version, views)
    found.set(id, views)
  }
  return found
}

/** Finds the newest comments for a viewer who blocks an author of the cached comments. */
export async function findOwnPreviews(ctx: Context, feedIds: number[], viewerId: number): Promise<Previews> {
  const rows = await read(ctx, feedIds, viewerId)
  return new Map(feedIds.map((id) => [id, viewsOf(rows.get(id) ?? [])]))
}
