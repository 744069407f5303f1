import { escapeLike, nameKey } from '#lib/text.ts'
import { andAfterCollected, selectCollected } from '#modules/collections/index.ts'
import { anyPinShown, orderByPrice, selectShownPins } from '#modules/pinning/index.ts'
import { selectFollowedTopics, type TopicViewer, visibleTopics } from '#modules/topics/index.ts'
import { noBlockBetween, selectFollowed, shownTo } from '#modules/users/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  ifGiven,
  limitClause,
  SCANNED,
  sortDirection,
  when,
} from '#platform/database'
import { FEED_PIN, FEEDS, type FeedRow, feedColumns, visibleFeed, writtenViews } from '../queries.ts'

export type FeedPage = { viewerId: number; after: number; limit: number }

const unblocked = (sql: Db, viewerId: number) => noBlockBetween(sql, viewerId, sql`f.user_id`)

const shown = (sql: Db, viewerId: number) => shownTo(sql, viewerId, sql`f.user_id`)

const before = (sql: Db, after: number) => when(sql, after > 0, () => sql`and f.id < ${after}`)

const among = (sql: Db, ids: number[] | undefined) =>
  ifGiven(sql, ids, (given) => sql`and f.id = any(${given})`)

export const listNewFeeds = (sql: Db, { viewerId, after, limit }: FeedPage, ids?: number[]) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot, ${anyPinShown(sql, FEED_PIN)} as pins_shown from feeds f
  where ${visibleFeed(sql, viewerId)} ${before(sql, after)} ${shown(sql, viewerId)}
    ${among(sql, ids)}
  order by f.id desc limit ${limit}`

export const listFeedsOfUser = (
  sql: Db,
  userId: number,
  { viewerId, after, limit }: FeedPage,
  priced = false,
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f
  where f.user_id = ${userId} and ${visibleFeed(sql, viewerId)} ${before(sql, after)} ${unblocked(sql, viewerId)} ${when(sql, priced, () => sql`and f.has_price`)}
  order by f.id desc limit ${limit}`

/**
 * Filters the newest `scanned` feeds by their authors. This is fast when followed users wrote many of these
 * feeds.
 */
export const pickFollowedFeeds = (sql: Db, { viewerId, after, limit }: FeedPage, scanned: number) => sql<
  FeedRow[]
>`
  with newest as not materialized (
    select f.id, f.user_id from feeds f where ${visibleFeed(sql, viewerId)} ${before(sql, after)}
    order by f.id desc limit ${scanned}
  ),
  shown as (
    select f.id from newest f
    where (f.user_id = ${viewerId} or f.user_id in (${selectFollowed(sql, viewerId)})) ${shown(sql, viewerId)}
    order by f.id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from shown s join feeds f on f.id = s.id order by f.id desc`

/**
 * Merges the newest feeds of the viewer and of followed users. Reads one index entry per author, and more entries
 * only for the authors with the newest feeds.
 */
export const mergeFollowedFeeds = (sql: Db, { viewerId, after, limit }: FeedPage) => sql<FeedRow[]>`
  with authors as materialized (
    select authors.author from (
      select target_id as author from (${selectFollowed(sql, viewerId)}) followed
      where true ${shownTo(sql, viewerId, sql`target_id`)}
      union all select ${viewerId}::bigint
    ) authors
    cross join lateral (
      select f.id from feeds f
      where f.user_id = authors.author and ${visibleFeed(sql, viewerId)} ${before(sql, after)}
      order by f.id desc limit 1
    ) newest
    order by newest.id desc limit ${limit}
  ),
  shown as (
    select recent.id from authors
    cross join lateral (
      select f.id from feeds f
      where f.user_id = authors.author and ${visibleFeed(sql, viewerId)} ${before(sql, after)}
      order by f.id desc limit ${limit}
    ) recent
    order by recent.id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from shown s join feeds f on f.id = s.id order by f.id desc`

const MOST = 100

export const listPinnedFeeds = (sql: Db, viewerId: number) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${selectShownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where ${visibleFeed(sql, viewerId)} ${shown(sql, viewerId)}
  order by ${orderByPrice(sql)} limit ${MOST}`

export const listPinnedFeedsOfUser = (
  sql: Db,
  userId: number,
  { viewerId, after, limit }: { viewerId: number; after: number; limit: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${selectShownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where p.user_id = ${userId} and ${visibleFeed(sql, viewerId)} ${unblocked(sql, viewerId)} ${when(sql, after > 0, () => sql`and f.id < ${after}`)}
  order by f.id desc limit ${limit}`

type HotPage = { viewerId: number; days: number; limit: number; hot?: number | undefined; after: number }

/**
 * Keyset condition of the hot list. Ranks 0 and 1 both display as 1, so for a cursor of 1 the condition uses the
 * stored rank of feed `after`.
 */
function belowCursor(sql: Db, hot: number | undefined, after: number) {
  if (after === 0) return hot ? sql`and h.hot < ${hot === 1 ? 0 : hot}` : sql``
  const now = sql`coalesce((select hot from feed_hots where feed_id = ${after}), 0)`
  const rank = hot === undefined ? now : hot === 1 ? sql`least(${now}, 1)` : sql`${hot}`
  return sql`and (h.hot, h.feed_id) < (${rank}, ${after})`
}

/**
 * Returns ranks of at least 1, because a cursor of 0 would restart the list (feeds-3). Subtracts the views that
 * replies add to `hot`.
 */
export const listHotFeeds = (sql: Db, { viewerId, days, limit, hot, after }: HotPage) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, greatest(h.hot, 1) - ${writtenViews(sql)} as hot,
     ${anyPinShown(sql, FEED_PIN)} as pins_shown
  from feed_hots h join feeds f on f.id = h.feed_id
  where h.created_at > now() - make_interval(days => ${days}) and ${visibleFeed(sql, viewerId)}
    ${belowCursor(sql, hot, after)} ${shown(sql, viewerId)}
  order by h.hot desc, h.feed_id desc limit ${limit}`

const patternOf = (query: string) => `%${escapeLike(nameKey(query))}%`

export const searchNewestFeeds = (
  sql: Db,
  query: string,
  { viewerId, after, limit }: FeedPage,
  ids?: number[],
) => sql<FeedRow[]>`
  with newest as not materialized (
    select feed_id, content_key from feed_search ${when(sql, after > 0, () => sql`where feed_id < ${after}`)}
    order by feed_id desc limit ${SCANNED}
  ),
  found as (
    select f.id from newest s join feeds f on f.id = s.feed_id
    where s.content_key like ${patternOf(query)} and ${visibleFeed(sql, viewerId)} ${among(sql, ids)} ${shown(sql, viewerId)}
    order by s.feed_id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from feeds f where f.id = any(array(select id from found)) order by f.id desc`

export const searchAllFeeds = (
  sql: Db,
  query: string,
  grams: string[],
  { viewerId, after, limit }: FeedPage,
  ids?: number[],
) => sql<FeedRow[]>`
  with matches as materialized (
    select feed_id from feed_search
    where content_grams @> ${grams} and content_key like ${patternOf(query)}
      ${when(sql, after > 0, () => sql`and feed_id < ${after}`)}
  )
  select ${feedColumns(sql, viewerId)}, f.hot
  from (select feed_id from matches order by feed_id desc) s join feeds f on f.id = s.feed_id
  where ${visibleFeed(sql, viewerId)} ${among(sql, ids)} ${shown(sql, viewerId)}
  order by s.feed_id desc limit ${limit}`

export type TopicPage = {
  index: number
  after?: number | undefined
  direction: 'asc' | 'desc'
  limit: number
}

/** Returns no feeds when the topic is hidden from the viewer. */
export const listTopicFeeds = (
  sql: Db,
  topicId: number,
  { index, after, direction, limit }: TopicPage,
  viewer: TopicViewer,
) => sql<(FeedRow & { index: number })[]>`
  select ${feedColumns(sql, viewer.id)}, f.hot, l.index from feed_topic_links l join feeds f on f.id = l.feed_id
  where l.topic_id = ${topicId} and ${visibleFeed(sql, viewer.id)} ${shown(sql, viewer.id)}
    and (select true from (${visibleTopics(sql, viewer)}) t where t.id = ${topicId})
    ${andAfterCursor(sql, sql`l.index`, index, direction)}
    ${andAfterRow(
      sql,
      after,
      sql`l.index`,
      sql`select index
        from feed_topic_links where topic_id = ${topicId} and feed_id = ${after ?? 0}`,
      direction,
    )}
  order by l.index ${sortDirection(sql, direction)} limit ${limit}`

const TOPICS_MOST = 200
const FEEDS_EACH = 5

/** Newest feeds of the visible topics that the viewer follows. */
export const listFeedsOfFollowedTopics = (sql: Db, { viewerId, limit }: FeedPage) => sql<FeedRow[]>`
  with shown as (
    select distinct recent.feed_id as id from (
      select t.id from (${selectFollowedTopics(sql, viewerId)}) t order by t.id desc limit ${TOPICS_MOST}
    ) followed
    cross join lateral (
      select l.feed_id from feed_topic_links l where l.topic_id = followed.id order by l.index desc limit ${FEEDS_EACH}
    ) recent
    order by id desc limit ${limit}
  )
  select ${feedColumns(sql, viewerId)}, f.hot from shown s join feeds f on f.id = s.id
  where ${visibleFeed(sql, viewerId)} ${shown(sql, viewerId)} order by f.id desc`

/** Filters out deleted feeds in SQL, because clients take a short page for the end of the list. */
export const listCollectedRows = (
  sql: Db,
  userId: number,
  { limit, ...page }: { limit: number; offset?: number; after?: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql, userId)}, f.hot from (${selectCollected(sql, FEEDS, userId)}) c
  join feeds f on f.id = c.collectible_id
  where ${visibleFeed(sql, userId)} ${unblocked(sql, userId)} ${andAfterCollected(sql, FEEDS, userId, page.after)}
  order by c.id desc ${limitClause(sql, { limit, ...page })}`
