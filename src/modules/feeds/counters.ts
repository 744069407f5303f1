import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { periodSumsRecount } from '#contracts/period-sums.ts'
import { userRecount } from '#modules/accounts/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { postsRecount } from '#modules/topics/index.ts'
import type { Db } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'
import { liveFeeds } from './queries.ts'
import { feedLikes } from './ranks.ts'

/** Locks feeds before their hot list rows, as likes do. Otherwise likes and view flushes could deadlock. */
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

/** Buffers views from `getFeed` and `listFeeds`, which counts none in the list of one user's feeds (feeds-6). */
export const feedViewCounts = defineBufferedCounts('feed views', addViews)

const postsInTopics = postsRecount(
  (sql) => sql`
    select l.topic_id, f.user_id, count(*) as counted, max(f.created_at) as last
    from feed_topic_links l join feeds f on f.id = l.feed_id group by 1, 2`,
)

const ranking: CounterCheck = {
  name: 'feed_hots.hot',
  async find(sql) {
    const rows = await sql<Drift[]>`
      select h.feed_id::text as key, h.hot as kept, f.hot as counted from feed_hots h join feeds f on f.id = h.feed_id
      where h.hot <> f.hot order by h.feed_id limit 100`
    return [...rows]
  },
  async mend(sql) {
    const { count } = await sql`
      update feed_hots h set hot = f.hot from feeds f where f.id = h.feed_id and h.hot <> f.hot`
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
