import { LRUCache } from 'lru-cache'
import { countFollowings } from '#modules/users/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { FeedRow } from '../queries.ts'
import { type FeedPage, mergeFollowedFeeds, pickFollowedFeeds } from './queries.ts'

/** Number of followed users above which a scan of the newest feeds is cheaper than a lookup per user. */
const MANY = 200
/** Number of feeds whose scan costs as much as the lookup of one followed user. */
const SCANNED_EACH = 20
/** Maximum number of feeds to scan, so that a request reads a bounded part of the table. */
const SCANNED_MOST = 30_000

/** Numbers of followed users. They only choose the statement, so that older numbers are right enough. */
const followedOf = defineState(() => new LRUCache<number, number>({ max: 10_000, ttl: 60_000 }))

export async function listFollowedFeeds(ctx: Context, page: FeedPage): Promise<FeedRow[]> {
  const { sql } = ctx
  const counts = followedOf(ctx)
  const followed = counts.get(page.viewerId) ?? (await countFollowings(sql, page.viewerId))
  if (!counts.has(page.viewerId)) counts.set(page.viewerId, followed)
  if (followed > MANY) {
    const rows = await pickFollowedFeeds(sql, page, Math.min(followed * SCANNED_EACH, SCANNED_MOST))
    if (rows.length === page.limit) return rows
  }
  return mergeFollowedFeeds(sql, page)
}
