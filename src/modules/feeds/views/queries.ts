import type { Db } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'

/**
 * Adds views and updates the hot list. Every writer of its row holds the lock of the feed's row, so that
 * likes and flushes cannot deadlock.
 */
const addViews = (sql: Db, ids: number[], counts: number[]) => sql`
  with seen as materialized (select * from unnest(${ids}::bigint[], ${counts}::bigint[]) as s (id, n)),
  held as materialized (
    select f.id from feeds f where f.id = any(${ids}::bigint[]) order by f.id for no key update
  ),
  counted as (
    update feeds f set feed_view_count = f.feed_view_count + s.n from seen s join held h on h.id = s.id
    where f.id = s.id returning f.id, f.hot
  )
  update feed_hots h set hot = c.hot from counted c where h.feed_id = c.id`

/** Buffered views of feeds. Each display in a list or alone counts one. */
export const feedViewCounts = defineBufferedCounts('feed views', addViews)

/** Ranks young feeds missing from the hot list, after the setting of days was raised. */
export const addMissingHots = (sql: Db, days: number) => sql`
  insert into feed_hots (feed_id, hot, created_at)
  select id, hot, created_at from feeds
  where created_at > now() - make_interval(days => ${days}) and deleted_at is null
  on conflict do nothing`

const BATCH = 5000

/** Removes a batch of old feeds from the hot list and returns their number. */
export async function removeOldHots(sql: Db, days: number): Promise<number> {
  const { count } = await sql`
    delete from feed_hots where feed_id in (
      select feed_id from feed_hots where created_at <= now() - make_interval(days => ${days}) limit ${BATCH}
    )`
  return count
}
