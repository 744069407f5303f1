import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'

const check = (column: 'feeds_count' | 'followers_count', counted: (sql: Db) => ReturnType<Db>) => {
  const drift = (sql: Db) => sql`
    select c.topic_id as key, c.${sql(column)} as kept, coalesce(n.counted, 0)::bigint as counted
    from feed_topic_counts c left join (${counted(sql)}) n using (topic_id)
    where c.${sql(column)} <> coalesce(n.counted, 0)`
  return {
    name: `feed_topics.${column}`,
    async find(sql) {
      const rows = await sql<Drift[]>`
        select key::text, kept, counted from (${drift(sql)}) as d order by d.key limit 100`
      return [...rows]
    },
    // Adds the difference that one snapshot shows, so that what happens meanwhile stays counted.
    async mend(sql) {
      const { count } = await sql`
        with d as materialized (${drift(sql)})
        update feed_topic_counts c set ${sql(column)} = c.${sql(column)} + d.counted - d.kept
        from d where c.topic_id = d.key`
      return count
    },
  } satisfies CounterCheck
}

/** Recounts of topics, for `kith doctor`. Feeds recounts first what each person posted into a topic. */
export const topicCounters: CounterCheck[] = [
  check(
    'followers_count',
    (sql) =>
      sql`select topic_id, count(*) as counted from feed_topic_users where followed_at is not null group by 1`,
  ),
  check(
    'feeds_count',
    (sql) => sql`select topic_id, sum(feeds_count) as counted from feed_topic_users group by 1`,
  ),
]
