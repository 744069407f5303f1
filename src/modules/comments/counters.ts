import { personRecount } from '#modules/accounts/index.ts'
import { type CounterCheck, recount } from '#platform/counters.ts'
import type { Db, Fragment } from '#platform/database.ts'

const countByAuthor = (sql: Db): Fragment => sql`
  select user_id as key, count(*) as n from comments group by user_id`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select commentable_id as key, count(*) as n from comments where commentable_type = ${type} group by commentable_id`

/** The counter of the comments people wrote, recounted. */
export const commentCounters: CounterCheck[] = [personRecount('comments_count', countByAuthor)]

/** The recount of a content module's own counter of comments, for its `table`. */
export const commentsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })
