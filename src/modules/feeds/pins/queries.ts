import { notBlockedBy } from '#modules/accounts/index.ts'
import { type CommentRow, findComments } from '#modules/comments/index.ts'
import { dearestFirst, findShownPins, shownPins } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { when } from '#platform/sql.ts'
import { FEED_COMMENT, FEED_PIN, type FeedRow, feedColumns, visibleFeed } from '../queries.ts'

/** How many pins a first page shows at most. */
const MOST = 100

/** The feeds pinned now, dearest first, without those of people the viewer has blocked. */
export const listPinnedFeeds = (sql: Db, viewerId: number) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${shownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where ${visibleFeed(sql)} ${notBlockedBy(sql, viewerId, sql`f.user_id`)}
  order by ${dearestFirst(sql)} limit ${MOST}`

/** The pinned comments of feeds, at most `each` of one, dearest first. */
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

/** The feeds of one person that are pinned now. */
export const listPinnedFeedsOfUser = (
  sql: Db,
  userId: number,
  { viewerId, after, limit }: { viewerId: number; after: number; limit: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from ${shownPins(sql, FEED_PIN)} join feeds f on f.id = p.target_id
  where p.user_id = ${userId} and ${visibleFeed(sql)} ${when(sql, after > 0, () => sql`and f.id < ${after}`)}
  order by f.id desc limit ${limit}`
