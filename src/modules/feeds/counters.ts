import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { periodSumsRecount } from '#contracts/period-sums.ts'
import { addViewsTo, takeViewsTurn } from '#contracts/views.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { postsRecount } from '#modules/topics/index.ts'
import { userRecount } from '#modules/users/index.ts'
import { type Sql, transaction } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'
import { FEED_VIEWS, liveFeeds } from './queries.ts'
import { feedLikes } from './ranks.ts'

const RANK_MS = 60_000

/**
 * Adds written views to the hot list. Skips rows that a like or a comment locks, because waiting for several rows
 * could deadlock with writes of many likes. Skipped feeds follow after their next view.
 */
const rankViews = (sql: Sql, ids: number[]) =>
  transaction(sql, async (tx) => {
    await takeViewsTurn(tx)
    await tx`
      with due as materialized (
        select h.feed_id, v.views - v.ranked as n from feed_hots h join feed_views v on v.feed_id = h.feed_id
        where h.feed_id = any(${ids}::bigint[]) and v.views <> v.ranked for no key update of h skip locked
      ),
      counted as (update feed_views v set ranked = v.ranked + d.n from due d where v.feed_id = d.feed_id)
      update feed_hots h set hot = h.hot + d.n from due d where h.feed_id = d.feed_id`
  })

export const feedRanks = defineBufferedCounts('feed ranks', rankViews, { everyMs: RANK_MS })

/** Buffers views from `getFeed` and `listFeeds`, which counts none in the list of one user's feeds (feeds-6). */
export const feedViewCounts = defineBufferedCounts('feed views', addViewsTo(FEED_VIEWS), {
  onWritten: (ctx, ids) => feedRanks(ctx).add(ids),
})

const postsInTopics = postsRecount(
  (sql) => sql`
    select l.topic_id, f.user_id, count(*) as counted, max(f.created_at) as last
    from feed_topic_links l join feeds f on f.id = l.feed_id group by 1, 2`,
)

const ranking: CounterCheck = {
  name: 'feed_hots.hot',
  async find(sql) {
    const rows = await sql<Drift[]>`
      select h.feed_id::text as key, h.hot as kept, f.hot + coalesce(v.ranked, 0) as counted
      from feed_hots h join feeds f on f.id = h.feed_id left join feed_views v on v.feed_id = h.feed_id
      where h.hot <> f.hot + coalesce(v.ranked, 0) order by h.feed_id limit 100`
    return [...rows]
  },
  async mend(sql) {
    const { count } = await sql`
      update feed_hots h set hot = f.hot + coalesce(v.ranked, 0)
      from feeds f left join feed_views v on v.feed_id = f.id
      where f.id = h.feed_id and h.hot <> f.hot + coalesce(v.ranked, 0)`
    return count
  },
}

const ofFeeds = (column: string) => ({ table: 'feeds', key: 'id', column })

/**
 * `kith doctor` runs these checks before those of topics, because the feed count of a topic is a sum of
 * counts that these checks correct.
 */
export const feedCounters: CounterCheck[] = [
  likesRecount('feeds', ofFeeds('like_count')),
  commentsRecount('feeds', ofFeeds('feed_comment_count')),
  ranking,
  periodSumsRecount(feedLikes),
  userRecount(
    'feeds_count',
    (sql) => sql`select f.user_id as key, count(*) as n from feeds f where ${liveFeeds(sql)} group by 1`,
  ),
  postsInTopics,
]
