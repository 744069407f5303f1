import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'

/** A counter of user_counts that counts one side of user_follows. */
function followCounter(
  counter: 'followers_count' | 'followings_count',
  side: 'target_id' | 'user_id',
): CounterCheck {
  const differing = (sql: Db) => sql`
    select c.user_id, c.${sql(counter)} as kept, coalesce(f.counted, 0) as counted
    from user_counts c
    left join (
      select ${sql(side)} as id, count(*) as counted from user_follows group by 1
    ) f on f.id = c.user_id
    where c.${sql(counter)} <> coalesce(f.counted, 0)`
  return {
    name: `user_counts.${counter}`,
    find: (sql) => sql<Drift[]>`
      select user_id::text as key, kept, counted from (${differing(sql)}) d order by user_id limit 100`,
    // Adds the difference that one snapshot shows, so that what happens meanwhile stays counted.
    async mend(sql) {
      const { count } = await sql`
        with d as materialized (${differing(sql)})
        update user_counts c set ${sql(counter)} = c.${sql(counter)} + d.counted - d.kept
        from d where c.user_id = d.user_id`
      return count
    },
  }
}

/** The counters that this module keeps; likes, comments, feeds and the like belong to the modules they count. */
export const accountCounters: CounterCheck[] = [
  followCounter('followers_count', 'target_id'),
  followCounter('followings_count', 'user_id'),
]
