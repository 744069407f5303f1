import { countFollowings } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { FeedRow } from '../queries.ts'
import { type FeedPage, mergeFollowedFeeds, pickFollowedFeeds } from './queries.ts'

/** Number of followed users above which a scan of the newest feeds is cheaper than a lookup per user. */
const MANY = 200
/** Number of feeds whose scan costs as much as the lookup of one followed user. */
const SCANNED_EACH = 20
/** Maximum number of feeds to scan, so that a request reads a bounded part of the table. */
const SCANNED_MOST = 30_000

export async function listFollowedFeeds({ sql }: Context, page: FeedPage): Promise<FeedRow[]> {
  const followed = await countFollowings(sql, page.viewerId)
  if (followed > MANY) {
    const rows = await pickFollowedFeeds(sql, page, Math.min(followed * SCANNED_EACH, SCANNED_MOST))
    if (rows.length === page.limit) return rows
  }
  return mergeFollowedFeeds(sql, page)
}
