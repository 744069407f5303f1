import { notBlockedBy } from '#modules/accounts/index.ts'
import { type CommentRow, findComments } from '#modules/comments/index.ts'
import { findShownPins, highestAmountFirst, shownPins } from '#modules/pinning/index.ts'
import { type Db, when } from '#platform/database'
import { FEED_COMMENT, FEED_PIN, type FeedRow, feedColumns, visibleFeed } from '../queries.ts'

/** Limit of pins on a first page. */
const MOST = 100

/** Currently pinned feeds, most expensive first, without authors that the viewer blocks. */
export const listPinnedFeeds = (sql: Db, viewerId: number) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${shownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where ${visibleFeed(sql)} ${notBlockedBy(sql, viewerId, sql`f.user_id`)}
  order by ${highestAmountFirst(sql)} limit ${MOST}`

/** Pinned comments of feeds, at most `each` per feed, most expensive first. */
export async function findPinnedComments(
  sql: Db,
  feedIds: number[],
  each: number,
): Promise<Map<number, CommentRow[]>> {
  const pinned = await findShownPins(sql, FEED_COMMENT, feedIds)
  const chosen = [...pinned].map(([feed, comments]) => [feed, comments.slice(0, each)] as const)
  const ids = chosen.flatMap(([, comments]) => comments)
  const rows = ids.length === 0 ? [] : await findComments(sql, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(chosen.map(([feed, comments]) => [feed, comments.flatMap((id) => byId.get(id) ?? [])]))
}

/** Currently pinned feeds of one user. */
export const listPinnedFeedsOfUser = (
  sql: Db,
  userId: number,
  { viewerId, after, limit }: { viewerId: number; after: number; limit: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${shownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where p.user_id = ${userId} and ${visibleFeed(sql)} ${when(sql, after > 0, () => sql`and f.id < ${after}`)}
  order by f.id desc limit ${limit}`
