import type { Db, Row } from '#platform/database'

export type ImageRow = Row<'feed_images', 'feed_id' | 'file' | 'size' | 'mime'>

export const findImages = (sql: Db, feedIds: number[]) => sql<ImageRow[]>`
  select feed_id, file, size, mime from feed_images where feed_id = any(${feedIds}) order by feed_id, position`

export type VideoRow = Row<'feed_videos', 'feed_id' | 'video_id' | 'cover_id' | 'width' | 'height'>

export const findVideos = (sql: Db, feedIds: number[]) => sql<VideoRow[]>`
  select feed_id, video_id, cover_id, width, height from feed_videos where feed_id = any(${feedIds})`

type NewImage = { file: number; size: string | null; mime: string }

/** Inserts the pictures of a feed in order. */
export const insertImages = (sql: Db, feedId: number, images: NewImage[]) => sql`
  insert into feed_images (feed_id, position, file, size, mime)
  select ${feedId}, i.position, i.file, i.size, i.mime
  from jsonb_to_recordset(${sql.json(images.map((image, position) => ({ ...image, position })))})
    as i (position smallint, file bigint, size text, mime text)`

type NewVideo = { video: number; cover: number; width: number | null; height: number | null }

export const insertVideo = (sql: Db, feedId: number, { video, cover, width, height }: NewVideo) => sql`
  insert into feed_videos (feed_id, video_id, cover_id, width, height)
  values (${feedId}, ${video}, ${cover}, ${width}, ${height})`
