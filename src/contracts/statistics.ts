import type { Db, Fragment } from '#platform/database'

export type Queue = {
  name: string
  /** Ability to decide on waiting items, and therefore to see their number. */
  ability: string
  /** Selects the start of each wait as `since`, oldest first, from an index. */
  waiting(sql: Db): Fragment
}

export type Series = {
  name: string
  ability: string
  /**
   * Selects `at` and `value` of events from `from` until before `until`, from an index on the time.
   */
  happened(sql: Db, from: string, until: string): Fragment
}

export type Statistics = { queues?: Queue[]; series?: Series[] }
