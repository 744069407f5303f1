import { type CommentRow, findComments } from '#modules/comments/index.ts'
import { findShownPins, stateNow } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { FEED_COMMENT, type FeedRow, feedColumns } from '../queries.ts'

/** How many pins a first page shows at most. */
const MOST = 100

/** The feeds pinned now, dearest first, without those of people the viewer has blocked. */
export const listPinnedFeeds = (sql: Db, viewerId: number) => sql<FeedRow[]>`
  select ${feedColumns(sql, viewerId)}, f.hot from pins p join feeds f on f.id = p.target_id
  where p.channel = 'feed' and p.state = 'active' and p.expires_at > now() and f.deleted_at is null
    ${
      viewerId === 0
        ? sql``
        : sql`and f.user_id <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`
    }
  order by p.amount desc, p.created_at desc, p.id desc limit ${MOST}`

/** A comment of a feed that is not deleted. */
export const liveComment = (sql: Db, feedId: number, commentId: number) => sql`
  select c.id from comments c join feeds f on f.id = c.commentable_id
  where c.commentable_type = 'feeds' and c.commentable_id = ${feedId} and c.id = ${commentId} and f.deleted_at is null`

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
  select ${feedColumns(sql, viewerId)}, f.hot from pins p join feeds f on f.id = p.target_id
  where p.user_id = ${userId} and p.channel = 'feed' and ${stateNow(sql)} = 'active' and f.deleted_at is null
    ${after > 0 ? sql`and f.id < ${after}` : sql``}
  order by f.id desc limit ${limit}`
