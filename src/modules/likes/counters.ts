import { personRecount } from '#modules/accounts/index.ts'
import { type CounterCheck, recount } from '#platform/counters.ts'
import type { Db, Fragment } from '#platform/database.ts'

const countByOwner = (sql: Db): Fragment => sql`
  select target_user as key, count(*) as n from likes where target_user > 0 group by target_user`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select likeable_id as key, count(*) as n from likes where likeable_type = ${type} group by likeable_id`

/** The counter of the likes people received, recounted. */
export const likeCounters: CounterCheck[] = [personRecount('likes_count', countByOwner)]

/** The recount of a content module's own counter of likes, for its `table`. */
export const likesRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })
