import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { type FeedRow, feedColumns } from '../queries.ts'

type Page = { viewerId: number; after: number; limit: number }

/** Leaves out the feeds of people the viewer has blocked (R §1.12). The list of them is read once a statement. */
const unblocked = (sql: Db, viewerId: number) =>
  viewerId === 0
    ? sql``
    : sql`and f.user_id <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`

const before = (sql: Db, after: number) => (after > 0 ? sql`and f.id < ${after}` : sql``)

/** The newest feeds, or those of the given ids. */
export const listNewFeeds = (sql: Db, { viewerId, after, limit }: Page, ids?: number[]) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, f.hot from feeds f
  where f.deleted_at is null ${before(sql, after)} ${unblocked(sql, viewerId)}
    ${ids ? sql`and f.id = any(${ids})` : sql``}
  order by f.id desc limit ${limit}`

/** The feeds of one person. */
export const listFeedsOfUser = (sql: Db, userId: number, { after, limit }: Page) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, f.hot from feeds f
  where f.user_id = ${userId} and f.deleted_at is null ${before(sql, after)}
  order by f.id desc limit ${limit}`

/** The feeds of whom the viewer follows and the viewer's own: the newest of each, merged. */
export const listFollowedFeeds = (sql: Db, { viewerId, after, limit }: Page) => sql<FeedRow[]>`
  with shown as (
    select recent.id from (
      select target_id as author from user_follows
      where user_id = ${viewerId}
        and target_id <> all(array(select target_id from user_blocks where user_id = ${viewerId}))
      union all select ${viewerId}::bigint
    ) authors
    cross join lateral (
      select f.id from feeds f
      where f.user_id = authors.author and f.deleted_at is null ${before(sql, after)}
      order by f.id desc limit ${limit}
    ) recent
    order by recent.id desc limit ${limit}
  )
  select ${feedColumns(sql)}, f.hot from shown s join feeds f on f.id = s.id order by f.id desc`

type HotPage = { viewerId: number; days: number; limit: number; hot: number; after: number }

/**
 * The liveliest feeds of the last days. The cursor is the last `hot`, or `hot` and id together, which also pages
 * through feeds of the same rank.
 */
export const listHotFeeds = (sql: Db, { viewerId, days, limit, hot, after }: HotPage) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, h.hot from feed_hots h join feeds f on f.id = h.feed_id
  where h.created_at > now() - make_interval(days => ${days}) and f.deleted_at is null
    ${after > 0 ? sql`and (h.hot, h.feed_id) < (${hot}, ${after})` : hot > 0 ? sql`and h.hot < ${hot}` : sql``}
    ${unblocked(sql, viewerId)}
  order by h.hot desc, h.feed_id desc limit ${limit}`

/** How many feeds are read through before the index of pieces is asked. */
const RECENT = 2000

/**
 * Feeds whose text contains `query`. What many feeds contain is found among the newest at once; what is rare is found
 * by the index, whose matches are collected before they are put in order (reading on by id would read the whole table).
 */
export async function searchFeeds(
  sql: Db,
  query: string,
  { viewerId, after, limit }: Page,
  ids?: number[],
): Promise<FeedRow[]> {
  const shown = sql`f.deleted_at is null ${ids ? sql`and f.id = any(${ids})` : sql``} ${unblocked(sql, viewerId)}`
  const pattern = `%${escapeLike(nameKey(query))}%`
  const older = after > 0 ? sql`where feed_id < ${after}` : sql``
  const recent = await sql<FeedRow[]>`
    with newest as materialized (
      select feed_id, content_key from feed_search ${older} order by feed_id desc limit ${RECENT}
    )
    select ${feedColumns(sql)}, f.hot from newest s join feeds f on f.id = s.feed_id
    where s.content_key like ${pattern} and ${shown}
    order by f.id desc limit ${limit}`
  if (recent.length === limit) return recent
  return sql<FeedRow[]>`
    with matches as materialized (
      select feed_id from feed_search
      where content_grams @> ${gramsOfQuery(query)} and content_key like ${pattern}
    )
    select ${feedColumns(sql)}, f.hot from matches s join feeds f on f.id = s.feed_id
    where ${shown} ${before(sql, after)}
    order by f.id desc limit ${limit}`
}

/** The feeds of a topic in the order in which they were linked to it. */
export const listTopicFeeds = (
  sql: Db,
  topicId: number,
  { index, direction, limit }: { index: number; direction: 'asc' | 'desc'; limit: number },
) => sql<(FeedRow & { index: number })[]>`
  select ${feedColumns(sql)}, f.hot, l.index from feed_topic_links l join feeds f on f.id = l.feed_id
  where l.topic_id = ${topicId} and f.deleted_at is null
    ${index === 0 ? sql`` : direction === 'desc' ? sql`and l.index < ${index}` : sql`and l.index > ${index}`}
  order by l.index ${direction === 'desc' ? sql`desc` : sql`asc`} limit ${limit}`

/** What a person collected, the newest collected first. Deleted feeds take no place on a page, which would seem the last. */
export const listCollected = (sql: Db, userId: number, limit: number, offset: number) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, f.hot from collections c join feeds f on f.id = c.collectible_id
  where c.user_id = ${userId} and c.collectible_type = 'feeds' and f.deleted_at is null
  order by c.id desc limit ${limit} offset ${offset}`
