import { isCollected } from '#modules/collections/index.ts'
import { isLiked } from '#modules/likes/index.ts'
import { hasShownPin } from '#modules/pinning/index.ts'
import { visibleTopics } from '#modules/topics/index.ts'
import type { Target } from '#platform/content.ts'
import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** The name of feeds on the wire and in tables (R §1.10). */
export const FEEDS = 'feeds'

/** The channels of pins of feeds, and of comments under them. */
export const FEED_PIN = 'feed'
export const FEED_COMMENT = 'feed:comment'

export type FeedRow = Row<
  'feeds',
  | 'id'
  | 'user_id'
  | 'feed_content'
  | 'feed_from'
  | 'feed_mark'
  | 'feed_latitude'
  | 'feed_longtitude'
  | 'feed_geohash'
  | 'repostable_type'
  | 'repostable_id'
  | 'has_images'
  | 'has_video'
  | 'has_topics'
  | 'has_price'
  | 'like_count'
  | 'feed_comment_count'
  | 'feed_view_count'
  | 'hot'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
> & {
  has_like: boolean
  has_collect: boolean
  has_pins: boolean
}

/**
 * The columns of a row, of `feeds f`; `hot` is left to lists that rank by it. What only a look into an index tells is
 * looked up here: a statement of its own for each would cost more than the whole page does in the database.
 */
export const feedColumns = (sql: Db, viewerId: number) => sql`
  f.id, f.user_id, f.feed_content, f.feed_from, f.feed_mark, f.feed_latitude, f.feed_longtitude, f.feed_geohash,
  f.repostable_type, f.repostable_id, f.has_images, f.has_video, f.has_topics, f.has_price, f.like_count, f.feed_comment_count,
  f.feed_view_count, f.created_at, f.updated_at, f.deleted_at,
  f.like_count > 0 and ${isLiked(sql, FEEDS, sql`f.id`, viewerId)} as has_like,
  ${isCollected(sql, FEEDS, sql`f.id`, viewerId)} as has_collect,
  f.feed_comment_count > 0 and ${hasShownPin(sql, FEED_COMMENT, sql`f.id`)} as has_pins`

/** Feeds by ids, in no order; deleted ones only when asked for. */
export const findFeedRows = (
  sql: Db,
  ids: number[],
  viewerId: number,
  { deleted = false }: { deleted?: boolean } = {},
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f
  where f.id = any(${ids}) ${deleted ? sql`` : sql`and f.deleted_at is null`}`

export type ImageRow = Row<'feed_images', 'feed_id' | 'file' | 'size' | 'mime'>

export const findImages = (sql: Db, feedIds: number[]) => sql<ImageRow[]>`
  select feed_id, file, size, mime from feed_images where feed_id = any(${feedIds}) order by feed_id, position`

export type VideoRow = Row<'feed_videos', 'feed_id' | 'video_id' | 'cover_id' | 'width' | 'height'>

export const findVideos = (sql: Db, feedIds: number[]) => sql<VideoRow[]>`
  select feed_id, video_id, cover_id, width, height from feed_videos where feed_id = any(${feedIds})`

/** Which topics feeds are in, in the order in which they were given, of those that the viewer may know of. */
export const findTopics = (sql: Db, feedIds: number[], viewerId: number) => sql<
  { feed_id: number; id: number; name: string }[]
>`
  select l.feed_id, t.id, t.name from feed_topic_links l
  join (${visibleTopics(sql, { id: viewerId, reviewer: false })}) t on t.id = l.topic_id
  where l.feed_id = any(${feedIds})
  order by l.feed_id, l.index`

/** Which of these feeds exist: a feed is for everybody to see until it is deleted. */
export async function findVisibleFeeds(sql: Db, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select id from feeds where id = any(${ids}) and deleted_at is null`
  return new Set(rows.map(({ id }) => id))
}

/** How many characters of a feed a notification or a report quotes. */
const QUOTED = 100

/** The feed as something to comment on, like, collect or report. */
export async function findTarget(sql: Db, id: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select id, user_id as "ownerId", left(coalesce(feed_content, ''), ${QUOTED}::int) as contents from feeds
    where id = ${id} and deleted_at is null`
  return row
}
