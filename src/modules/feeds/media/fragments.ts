import type { Context } from '#platform/context.ts'
import { defineFragments } from '#platform/memory'
import type { FeedRow } from '../queries.ts'
import { findImages, findVideos, type ImageRow, type VideoRow } from './queries.ts'

/** The pictures of a feed in their order, and its film. */
export type Media = { images: ImageRow[]; video: VideoRow | undefined }

const mediaOf = defineFragments<Media>('feed media')

/** Pictures and films of feeds. Reads those that are not in memory. */
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
    // A lagging replica may not have the media yet, so an empty result is not cached.
    if (media.images.length > 0 || media.video) fragments.set(id, version, media)
    found.set(id, media)
  }
  return found
}
