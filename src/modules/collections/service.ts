import { type CounterCheck, recount } from '#platform/counters.ts'
import { countByContent } from './queries.ts'

/** The recount of a content module's own counter of collections, for its `table`. */
export const collectionsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })
