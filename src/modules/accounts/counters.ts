import { type CounterCheck, recount } from '#platform/counters.ts'

/** The counters that this module keeps; likes, comments, feeds and the like belong to the modules they count. */
export const accountCounters: CounterCheck[] = [
  recount({
    table: 'user_counts',
    key: 'user_id',
    column: 'followers_count',
    counted: (sql) => sql`select target_id as key, count(*) as n from user_follows group by 1`,
  }),
  recount({
    table: 'user_counts',
    key: 'user_id',
    column: 'followings_count',
    counted: (sql) => sql`select user_id as key, count(*) as n from user_follows group by 1`,
  }),
]
