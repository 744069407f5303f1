import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import type { Db, Fragment } from '#platform/database'

const ofTopics = { table: 'feed_topic_counts', key: 'topic_id' }

/**
 * Counter checks of topics for `kith doctor`. `postsRecount` runs first, because these sum up its results.
 */
export const topicCounters: CounterCheck[] = [
  recount({
    ...ofTopics,
    column: 'followers_count',
    counted: (sql) => sql`
      select topic_id as key, count(*) as n from feed_topic_users where followed_at is not null group by 1`,
  }),
  recount({
    ...ofTopics,
    column: 'feeds_count',
    counted: (sql) => sql`
      select topic_id as key, sum(feeds_count)::bigint as n from feed_topic_users group by 1`,
  }),
]

/**
 * Counter check of each user's posts per topic. `counted` selects `topic_id`, `user_id`, `counted` and
 * `last`, the time of the latest post.
 */
export function postsRecount(counted: (sql: Db) => Fragment): CounterCheck {
  const drift = (sql: Db) => sql`
    select coalesce(u.topic_id, n.topic_id) as topic_id, coalesce(u.user_id, n.user_id) as user_id,
      coalesce(u.feeds_count, 0) as kept, coalesce(n.counted, 0) as counted, n.last
    from feed_topic_users u
    full join (${counted(sql)}) n on n.topic_id = u.topic_id and n.user_id = u.user_id
    where coalesce(u.feeds_count, 0) <> coalesce(n.counted, 0)`
  return {
    name: 'feed_topic_users.feeds_count',
    async find(sql) {
      const rows = await sql<Drift[]>`
        select topic_id || '/' || user_id as key, kept, counted from (${drift(sql)}) d order by 1 limit 100`
      return [...rows]
    },
    // Adds the difference within one snapshot, so that concurrent posts stay counted.
    async mend(sql) {
      const [row] = await sql<[{ wrong: number }]>`
        with d as materialized (${drift(sql)}),
        changed as (
          update feed_topic_users u set feeds_count = u.feeds_count + d.counted - d.kept,
            participated_at = case when u.feeds_count + d.counted > d.kept
              then coalesce(u.participated_at, d.last, now()) end
          from d where u.topic_id = d.topic_id and u.user_id = d.user_id
        ),
        added as (
          insert into feed_topic_users (topic_id, user_id, feeds_count, participated_at)
          select topic_id, user_id, counted, last from d where kept = 0
          on conflict do nothing
        )
        select count(*)::int as wrong from d`
      return row.wrong
    },
  }
}
