import { type CounterCheck, recount } from '#contracts/counters.ts'

/** Recount of the collection counter in a content module's `table`. */
export const collectionsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck =>
  recount({
    ...counter,
    counted: (sql) => sql`
      select collectible_id as key, count(*) as n from collections
      where collectible_type = ${type} group by collectible_id`,
  })
