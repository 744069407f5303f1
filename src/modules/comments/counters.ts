import { type CounterCheck, recount } from '#contracts/counters.ts'
import { userRecount } from '#modules/accounts/index.ts'
import type { Db, Fragment } from '#platform/database'

const countByAuthor = (sql: Db): Fragment => sql`
  select user_id as key, count(*) as n from comments group by user_id`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select commentable_id as key, count(*) as n from comments where commentable_type = ${type} group by commentable_id`

/** Recount of comments per author. */
export const commentCounters: CounterCheck[] = [userRecount('comments_count', countByAuthor)]

/** Recount of the comment counter in a content module's `table`. */
export const commentsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })
