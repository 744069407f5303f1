import type { Db, Fragment, Tables } from '#platform/database'

export type Queue = {
  name: string
  ability: string
  /**
   * Selects `since`, the time at which each pending item, such as a report, began to wait. The oldest comes
   * first.
   */
  waiting(sql: Db): Fragment
}

export type Series = {
  name: string
  ability: string
  /** Selects `at` and `value` of each event from the time `from` to before `until`. */
  happened(sql: Db, from: Fragment, until: Fragment): Fragment
}

export type Statistics = { queues?: Queue[]; series?: Series[] }

/** Counts the rows of a table by the time of their creation. */
export const creationSeries = (name: string, table: keyof Tables, ability: string): Series => ({
  name,
  ability,
  happened: (sql, from, until) => sql`
    select created_at as at, 1 as value from ${sql(table)} where created_at >= ${from} and created_at < ${until}`,
})
