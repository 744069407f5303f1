import { stateNow } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { type FeedRow, feedColumns } from '../queries.ts'

/** The channel of pins of comments under feeds. */
export const FEED_COMMENT = 'feed:comment'

/** How many pins a first page shows at most. */
const MOST = 100

/** The feeds pinned now, dearest first, without those of people the viewer has blocked. */
export const listPinnedFeeds = (sql: Db, viewerId: number) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, f.hot from pins p join feeds f on f.id = p.target_id
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

/** The feeds of one person that are pinned now. */
export const listPinnedFeedsOfUser = (
  sql: Db,
  userId: number,
  { after, limit }: { after: number; limit: number },
) => sql<FeedRow[]>`
  select ${feedColumns(sql)}, f.hot from pins p join feeds f on f.id = p.target_id
  where p.user_id = ${userId} and p.channel = 'feed' and ${stateNow(sql)} = 'active' and f.deleted_at is null
    ${after > 0 ? sql`and f.id < ${after}` : sql``}
  order by f.id desc limit ${limit}`
