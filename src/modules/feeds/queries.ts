import { EXCERPT_LENGTH, type Target } from '#contracts/content.ts'
import { recordPeriodChange } from '#contracts/period-sums.ts'
import { type ViewTable, viewsIn } from '#contracts/views.ts'
import { cutText, GRAPHEME_MAX } from '#lib/text.ts'
import { isCollected } from '#modules/collections/index.ts'
import { type CommentRow, findComments } from '#modules/comments/index.ts'
import { isLiked } from '#modules/likes/index.ts'
import { findShownPins, sqlHasShownPin } from '#modules/pinning/index.ts'
import { type RewardSum, rewardSum } from '#modules/rewards/index.ts'
import { topicNamesVersion } from '#modules/topics/index.ts'
import { isOpenTo, isPrivate, updateUserCounters } from '#modules/users/index.ts'
import { type Db, type Fragment, type Row, when } from '#platform/database'

export const FEEDS = 'feeds'

export const FEED_PIN = 'feed'
export const FEED_COMMENT = 'feed:comment'

export const FEED_LIKES = 'feed-likes'

/** Counters and flags of a listed feed, with the versions of its cached parts. */
export type FeedRow = Row<
  'feeds',
  | 'id'
  | 'has_price'
  | 'like_count'
  | 'feed_comment_count'
  | 'feed_view_count'
  | 'hot'
  | 'text_version'
  | 'content_version'
> & {
  /** Views in `feed_views`. `feed_view_count` and `hot` have the views of earlier versions and of imports only. */
  views: number
  has_like: boolean
  has_collect: boolean
  has_pins: boolean
  /** Version of the names and visibility of all topics. Null for a feed without topics. */
  topics_version: number | null
  /** True if any feed of the site has an active pin. Present only in lists with pins. */
  pins_shown?: boolean
}

/** Condition for counters and moderators. Reads for viewers use `visibleFeed`. */
export const liveFeeds = (sql: Db): Fragment => sql`f.deleted_at is null`

/** The feed is live and its author shows it to the viewer (relations-8). Viewer 0 is a guest. */
export const visibleFeed = (sql: Db, viewerId: number): Fragment => sql`
  ${liveFeeds(sql)} and ${isOpenTo(sql, viewerId, sql`f.user_id`)}`

/** Selects a live feed by id. Callers append a row lock. */
export const liveFeed = (sql: Db, id: number): Fragment => sql`
  select f.id from feeds f where f.id = ${id} and ${liveFeeds(sql)}`

export const FEED_VIEWS: ViewTable = { table: 'feed_views', key: 'feed_id', content: 'feeds' }

export const writtenViews = (sql: Db) => viewsIn(sql, FEED_VIEWS, sql`f.id`)

/**
 * Selects the viewer's flags in subqueries, because separate statements would cost more than the query that
 * lists the feeds.
 */
export const feedColumns = (sql: Db, viewerId: number) => sql`
  f.id, f.has_price, f.like_count, f.feed_comment_count, f.feed_view_count, f.text_version, f.content_version,
  f.like_count > 0 and ${isLiked(sql, FEEDS, sql`f.id`, viewerId)} as has_like,
  ${isCollected(sql, FEEDS, sql`f.id`, viewerId)} as has_collect,
  ${writtenViews(sql)} as views,
  f.feed_comment_count > 0 and ${sqlHasShownPin(sql, FEED_COMMENT, sql`f.id`)} as has_pins,
  case when f.has_topics then ${topicNamesVersion(sql)} end as topics_version`

export type FeedTextRow = Row<
  'feeds',
  | 'id'
  | 'text_version'
  | 'user_id'
  | 'feed_content'
  | 'feed_from'
  | 'feed_mark'
  | 'feed_latitude'
  | 'feed_longtitude'
  | 'feed_geohash'
  | 'repostable_type'
  | 'repostable_id'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
> & {
  images: Row<'feed_images', 'file' | 'size' | 'mime'>[] | null
  video: Row<'feed_videos', 'video_id' | 'cover_id' | 'width' | 'height'> | null
  topic_ids: number[]
}

/** Reads the parts of feeds that are the same for all viewers. Includes deleted feeds. */
export const findFeedTexts = (sql: Db, ids: number[]) => sql<FeedTextRow[]>`
  select f.id, f.text_version, f.user_id, f.feed_content, f.feed_from, f.feed_mark, f.feed_latitude, f.feed_longtitude,
    f.feed_geohash, f.repostable_type, f.repostable_id, f.created_at, f.updated_at, f.deleted_at,
    case when f.has_images then (
      select json_agg(json_build_object('file', file, 'size', size, 'mime', mime) order by position)
      from feed_images where feed_id = f.id
    ) end as images,
    case when f.has_video then (
      select json_build_object('video_id', video_id, 'cover_id', cover_id, 'height', height, 'width', width)
      from feed_videos where feed_id = f.id
    ) end as video,
    case when f.has_topics then array(
      select topic_id from feed_topic_links where feed_id = f.id order by index
    ) else '{}' end as topic_ids
  from feeds f where f.id = any(${ids})`

export const findFeedRows = (
  sql: Db,
  ids: number[],
  viewerId: number,
  { deleted = false }: { deleted?: boolean } = {},
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f
  where f.id = any(${ids}) ${when(sql, !deleted, () => sql`and ${visibleFeed(sql, viewerId)}`)}`

export async function findFeedDetail(
  sql: Db,
  id: number,
  viewerId: number,
): Promise<(FeedRow & { reward: RewardSum }) | undefined> {
  const [row] = await sql<(FeedRow & { reward: RewardSum })[]>`
    select ${feedColumns(sql, viewerId)}, f.hot, ${rewardSum(sql, FEEDS, sql`f.id`)} as reward from feeds f
    where f.id = ${id} and ${visibleFeed(sql, viewerId)}`
  return row
}

export async function findPinnedComments(
  sql: Db,
  feedIds: number[],
  each: number,
  hideFrom: number,
): Promise<Map<number, CommentRow[]>> {
  const pinned = await findShownPins(sql, FEED_COMMENT, feedIds)
  const chosen = [...pinned].map(([feed, comments]) => [feed, comments.slice(0, each)] as const)
  const ids = chosen.flatMap(([, comments]) => comments)
  const rows = ids.length === 0 ? [] : await findComments(sql, ids, hideFrom)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(chosen.map(([feed, comments]) => [feed, comments.flatMap((id) => byId.get(id) ?? [])]))
}

export async function findVisibleFeeds(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select f.id from feeds f where f.id = any(${ids}) and ${visibleFeed(sql, viewerId)}`
  return new Set(rows.map(({ id }) => id))
}

/** Feeds that their authors hide from the viewer, also deleted ones (relations-8). */
export async function findClosedFeeds(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select f.id from feeds f where f.id = any(${ids}) and not ${isOpenTo(sql, viewerId, sql`f.user_id`)}`
  return new Set(rows.map(({ id }) => id))
}

/** Lists ids of feeds, also of deleted ones, whose notifications may not have been withdrawn yet. */
export async function listIdsOfUser(
  sql: Db,
  userId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from feeds where user_id = ${userId} and id > ${after} order by id limit ${limit}`
  return rows.map(({ id }) => id)
}

export async function findLiveFeeds(sql: Db, ids: number[]): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    select f.id from feeds f where f.id = any(${ids}) and ${liveFeeds(sql)}`
  return new Set(rows.map(({ id }) => id))
}

/** With null instead of a viewer, finds feeds of private accounts too, for checks that show nothing. */
export async function findTarget(sql: Db, id: number, viewerId: number | null): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select f.id, f.user_id as "ownerId", ${isPrivate(sql, sql`f.user_id`)} as closed,
      left(coalesce(f.feed_content, ''), ${EXCERPT_LENGTH + GRAPHEME_MAX}::int) as contents from feeds f
    where f.id = ${id} and ${viewerId === null ? liveFeeds(sql) : visibleFeed(sql, viewerId)}`
  return row && { ...row, contents: cutText(row.contents, EXCERPT_LENGTH) }
}

/** Returns whether only followers see the feeds of the user, so that webhooks must not identify people in them. */
export async function isClosedAuthor(sql: Db, userId: number): Promise<boolean> {
  const [row] = await sql<[{ closed: boolean }]>`select ${isPrivate(sql, sql`${userId}::bigint`)} as closed`
  return row.closed
}

/** Content of a feed, also of a deleted one. */
export async function findPublished(sql: Db, id: number) {
  const [row] = await sql<
    (Row<'feeds', 'feed_content' | 'repostable_type' | 'repostable_id' | 'deleted_at'> & {
      video_id: number | null
    })[]
  >`
    select f.feed_content, f.repostable_type, f.repostable_id, f.deleted_at, v.video_id
    from feeds f left join feed_videos v on v.feed_id = f.id where f.id = ${id}`
  return row
}

export type Removal = { found: boolean; removed: boolean; author: number; likes: number }

/** Soft-deletes a feed. With `anybodys`, its author may be another user than `userId`. */
export async function markDeleted(
  sql: Db,
  feedId: number,
  { userId, anybodys }: { userId: number; anybodys: boolean },
): Promise<Removal> {
  const [row] = await sql<[Removal]>`
    with held as materialized (
      select f.id, f.user_id from feeds f where f.id = ${feedId} and ${liveFeeds(sql)} for no key update
    ),
    gone as (
      update feeds f set deleted_at = now() from held h
      where f.id = h.id and (h.user_id = ${userId} or ${anybodys})
      returning f.id, f.user_id, f.like_count, f.created_at
    ),
    unsummed as (
      ${recordPeriodChange(sql, FEED_LIKES, sql`select user_id, created_at as made_at, -like_count as by from gone`)}
    ),
    unranked as (delete from feed_hots where feed_id in (select id from gone)),
    unindexed as (delete from feed_search where feed_id in (select id from gone)),
    counted as (
      ${updateUserCounters(sql, ['feeds_count'], sql`select user_id, -1 as feeds_count from gone`)}
    )
    select exists (select from held) as found, exists (select from gone) as removed,
      coalesce((select user_id from held), 0) as author, coalesce((select like_count from gone), 0) as likes`
  return row
}

/** `topics` maps each topic to the key of its name in the text, or to null. */
export const insertTopicLinks = (sql: Db, feedId: number, topics: Map<number, string | null>) => sql`
  insert into feed_topic_links (topic_id, feed_id, name_key)
  select t.id, ${feedId}, t.name_key
  from unnest(${[...topics.keys()]}::bigint[], ${[...topics.values()]}::text[]) with ordinality as t (id, name_key, position)
  order by t.position`

export const listTopicLinks = (sql: Db, feedIds: number[]) =>
  sql<
    Row<'feed_topic_links', 'feed_id' | 'topic_id' | 'name_key'>[]
  >`select feed_id, topic_id, name_key from feed_topic_links where feed_id = any(${feedIds})`

export async function removeTopicLinks(sql: Db, feedId: number): Promise<number[]> {
  const rows = await sql<{ topic_id: number }[]>`
    delete from feed_topic_links where feed_id = ${feedId} returning topic_id`
  return rows.map(({ topic_id }) => topic_id)
}

export async function findDeleted(sql: Db, feedId: number): Promise<{ content: string | null } | undefined> {
  const [row] = await sql<{ content: string | null }[]>`
    select feed_content as content from feeds where id = ${feedId} and deleted_at is not null`
  return row
}

/** Finds the author of a feed, also of a deleted one, and keeps its state until the commit. */
export const findOwner = async (
  tx: Db,
  feedId: number,
): Promise<{ author: number; deleted: boolean } | undefined> =>
  (
    await tx<{ author: number; deleted: boolean }[]>`
      select user_id as author, deleted_at is not null as deleted from feeds where id = ${feedId} for share`
  )[0]

/** Returns undefined when a concurrent call restored the feed first. */
export async function markRestored(
  sql: Db,
  feedId: number,
  { key, grams }: { key: string; grams: string[] },
): Promise<{ author: number } | undefined> {
  const [row] = await sql<{ author: number }[]>`
    with back as (
      update feeds set deleted_at = null where id = ${feedId} and deleted_at is not null
      returning id, user_id, hot, like_count, created_at
    ),
    summed as (
      ${recordPeriodChange(sql, FEED_LIKES, sql`select user_id, created_at as made_at, like_count as by from back`)}
    ),
    seen as (
      update feed_views v set ranked = v.views from back where v.feed_id = back.id returning v.views
    ),
    ranked as (
      insert into feed_hots (feed_id, hot, created_at)
      select id, hot + coalesce((select views from seen), 0), created_at from back
      on conflict (feed_id) do update set hot = excluded.hot
    ),
    indexed as (
      insert into feed_search (feed_id, content_key, content_grams)
      select id, ${key}::text, ${grams}::text[] from back where ${key}::text <> ''
      on conflict do nothing
    ),
    counted as (
      ${updateUserCounters(sql, ['feeds_count'], sql`select user_id, 1 as feeds_count from back`)}
    )
    select user_id as author from back`
  return row
}

export type ImageRow = Row<'feed_images', 'feed_id' | 'file' | 'size' | 'mime'>

export const findImages = (sql: Db, feedIds: number[]) => sql<ImageRow[]>`
  select feed_id, file, size, mime from feed_images where feed_id = any(${feedIds}) order by feed_id, position`

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
