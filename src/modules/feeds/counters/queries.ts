import { personRecount } from '#modules/accounts/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'

const posts = (sql: Db) => sql`
  select coalesce(u.topic_id, n.topic_id) as topic_id, coalesce(u.user_id, n.user_id) as user_id,
    coalesce(u.feeds_count, 0) as kept, coalesce(n.counted, 0) as counted, n.last
  from feed_topic_users u
  full join (
    select l.topic_id, f.user_id, count(*) as counted, max(f.created_at) as last
    from feed_topic_links l join feeds f on f.id = l.feed_id group by 1, 2
  ) n on n.topic_id = u.topic_id and n.user_id = u.user_id
  where coalesce(u.feeds_count, 0) <> coalesce(n.counted, 0)`

const postsInTopics: CounterCheck = {
  name: 'feed_topic_users.feeds_count',
  async find(sql) {
    const rows = await sql<Drift[]>`
      select topic_id || '/' || user_id as key, kept, counted from (${posts(sql)}) d order by 1 limit 100`
    return [...rows]
  },
  // Adds the difference that one snapshot shows, so that what is posted meanwhile stays counted.
  async mend(sql) {
    const [row] = await sql<[{ wrong: number }]>`
      with d as materialized (${posts(sql)}),
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

/** Recounts of feeds, for `kith doctor`: before those of topics, which sum up what people posted. */
export const feedCounters: CounterCheck[] = [
  likesRecount('feeds', ofFeeds('like_count')),
  commentsRecount('feeds', ofFeeds('feed_comment_count')),
  ranking,
  personRecount(
    'feeds_count',
    (sql) => sql`select user_id as key, count(*) as n from feeds where deleted_at is null group by user_id`,
  ),
  postsInTopics,
]
