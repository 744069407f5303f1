import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import { followedBy, isFollowing, notBlockedBy } from '#modules/accounts/index.ts'
import { collectedBy, pastCollected } from '#modules/collections/index.ts'
import { type TopicViewer, visibleTopics } from '#modules/topics/index.ts'
import type { Db } from '#platform/database.ts'
import { andPast, andPastRow, directionOf, ifGiven, partOf, when } from '#platform/sql.ts'
import { FEEDS, type FeedRow, feedColumns, visibleFeed } from '../queries.ts'

export type FeedPage = { viewerId: number; after: number; limit: number }

const unblocked = (sql: Db, viewerId: number) => notBlockedBy(sql, viewerId, sql`f.user_id`)

const before = (sql: Db, after: number) => when(sql, after > 0, () => sql`and f.id < ${after}`)

const among = (sql: Db, ids: number[] | undefined) =>
  ifGiven(sql, ids, (given) => sql`and f.id = any(${given})`)

/** The newest feeds, or those of the given ids. */
export const listNewFeeds = (sql: Db, { viewerId, after, limit }: FeedPage, ids?: number[]) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f
  where ${visibleFeed(sql)} ${before(sql, after)} ${unblocked(sql, viewerId)}
    ${among(sql, ids)}
  order by f.id desc limit ${limit}`

/** The feeds of one person, or of those the ones with a price. */
export const listFeedsOfUser = (
  sql: Db,
  userId: number,
  { viewerId, after, limit }: FeedPage,
  priced = false,
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f
  where f.user_id = ${userId} and ${visibleFeed(sql)} ${before(sql, after)} ${when(sql, priced, () => sql`and f.has_price`)}
  order by f.id desc limit ${limit}`

/** How many of the newest feeds a statement reads through. */
const NEWEST = 1000

/** The feeds of whom the viewer follows, and the viewer's own, among the newest of all. */
export const pickFollowedFeeds = (sql: Db, { viewerId, after, limit }: FeedPage) => sql<FeedRow[]>`
  with newest as materialized (
    select f.id, f.user_id from feeds f where ${visibleFeed(sql)} ${before(sql, after)}
    order by f.id desc limit ${NEWEST}
  ),
  shown as (
    select f.id from newest f
    where (f.user_id = ${viewerId} or ${isFollowing(sql, viewerId, sql`f.user_id`)}) ${unblocked(sql, viewerId)}
    order by f.id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from shown s join feeds f on f.id = s.id order by f.id desc`

/**
 * The newest feeds of each whom the viewer follows, and the viewer's own, merged. A page shows nobody but those whose own
 * newest are the newest: one entry of the index is read for each person followed, and a page only for so many.
 */
export const mergeFollowedFeeds = (sql: Db, { viewerId, after, limit }: FeedPage) => sql<FeedRow[]>`
  with authors as materialized (
    select authors.author from (
      select target_id as author from (${followedBy(sql, viewerId)}) followed
      where true ${notBlockedBy(sql, viewerId, sql`target_id`)}
      union all select ${viewerId}::bigint
    ) authors
    cross join lateral (
      select f.id from feeds f
      where f.user_id = authors.author and ${visibleFeed(sql)} ${before(sql, after)}
      order by f.id desc limit 1
    ) newest
    order by newest.id desc limit ${limit}
  ),
  shown as (
    select recent.id from authors
    cross join lateral (
      select f.id from feeds f
      where f.user_id = authors.author and ${visibleFeed(sql)} ${before(sql, after)}
      order by f.id desc limit ${limit}
    ) recent
    order by recent.id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from shown s join feeds f on f.id = s.id order by f.id desc`

type HotPage = { viewerId: number; days: number; limit: number; hot?: number | undefined; after: number }

/**
 * Where the list goes on: after a rank, or after one feed, of the rank that is given or that it has now. Ranks 0 and 1
 * are both shown as 1, and two of them differ by what is stored.
 */
function belowCursor(sql: Db, hot: number | undefined, after: number) {
  if (after === 0) return hot ? sql`and h.hot < ${hot === 1 ? 0 : hot}` : sql``
  const now = sql`coalesce((select hot from feed_hots where feed_id = ${after}), 0)`
  const rank = hot === undefined ? now : hot === 1 ? sql`least(${now}, 1)` : sql`${hot}`
  return sql`and (h.hot, h.feed_id) < (${rank}, ${after})`
}

/**
 * The liveliest feeds of the last days. The cursor is the last `hot`, or `hot` and id together, which also pages
 * through feeds of the same rank. No `hot` is shown below 1, which being listed brings: as a cursor, 0 would begin
 * the list anew and paging would never end (feeds-3).
 */
export const listHotFeeds = (sql: Db, { viewerId, days, limit, hot, after }: HotPage) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, greatest(h.hot, 1) as hot from feed_hots h join feeds f on f.id = h.feed_id
  where h.created_at > now() - make_interval(days => ${days}) and ${visibleFeed(sql)}
    ${belowCursor(sql, hot, after)} ${unblocked(sql, viewerId)}
  order by h.hot desc, h.feed_id desc limit ${limit}`

const patternOf = (query: string) => `%${escapeLike(nameKey(query))}%`

/** Feeds whose text contains `query`, among the newest. */
export const searchNewestFeeds = (
  sql: Db,
  query: string,
  { viewerId, after, limit }: FeedPage,
  ids?: number[],
) => sql<FeedRow[]>`
  with newest as materialized (
    select feed_id, content_key from feed_search ${when(sql, after > 0, () => sql`where feed_id < ${after}`)}
    order by feed_id desc limit ${NEWEST}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from newest s join feeds f on f.id = s.feed_id
  where s.content_key like ${patternOf(query)} and ${visibleFeed(sql)}
    ${among(sql, ids)} ${unblocked(sql, viewerId)}
  order by f.id desc limit ${limit}`

/** Feeds whose text contains `query`: all are collected by the index of pieces before they are put in order. */
export const searchAllFeeds = (
  sql: Db,
  query: string,
  { viewerId, after, limit }: FeedPage,
  ids?: number[],
) => sql<FeedRow[]>`
  with matches as materialized (
    select feed_id from feed_search
    where content_grams @> ${gramsOfQuery(query)} and content_key like ${patternOf(query)}
      ${when(sql, after > 0, () => sql`and feed_id < ${after}`)}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from matches s join feeds f on f.id = s.feed_id
  where ${visibleFeed(sql)} ${among(sql, ids)} ${unblocked(sql, viewerId)}
  order by f.id desc limit ${limit}`

export type TopicPage = {
  index: number
  after?: number | undefined
  direction: 'asc' | 'desc'
  limit: number
}

/** The feeds of a topic in the order in which they were linked to it; none of one that is hidden from who looks. */
export const listTopicFeeds = (
  sql: Db,
  topicId: number,
  { index, after, direction, limit }: TopicPage,
  viewer: TopicViewer,
) => sql<(FeedRow & { index: number })[]>`
  select ${feedColumns(sql, viewer.id)}, f.hot, l.index from feed_topic_links l join feeds f on f.id = l.feed_id
  where l.topic_id = ${topicId} and ${visibleFeed(sql)}
    and (select true from (${visibleTopics(sql, viewer)}) t where t.id = ${topicId})
    ${andPast(sql, sql`l.index`, index, direction)}
    ${andPastRow(
      sql,
      after,
      sql`l.index`,
      sql`select index
        from feed_topic_links where topic_id = ${topicId} and feed_id = ${after ?? 0}`,
      direction,
    )}
  order by l.index ${directionOf(sql, direction)} limit ${limit}`

/** What a person collected, the newest collected first. Deleted feeds take no place on a page, which would seem the last. */
export const listCollectedRows = (
  sql: Db,
  userId: number,
  { limit, ...page }: { limit: number; offset?: number; after?: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql, userId)}, f.hot from (${collectedBy(sql, FEEDS, userId)}) c
  join feeds f on f.id = c.collectible_id
  where ${visibleFeed(sql)} ${pastCollected(sql, FEEDS, userId, page.after)}
  order by c.id desc ${partOf(sql, { limit, ...page })}`
