import type { Db, Fragment } from '#platform/database'

export type Queue = {
  name: string
  ability: string
  /** Selects `since`, the time at which each item began to wait, oldest first. */
  waiting(sql: Db): Fragment
}

export type Series = {
  name: string
  ability: string
  /** Selects `at` and `value` of each event from `from` to before `until`. */
  happened(sql: Db, from: string, until: string): Fragment
}

export type Statistics = { queues?: Queue[]; series?: Series[] }
