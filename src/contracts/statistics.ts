import type { Db, Fragment } from '#platform/database'

export type Queue = {
  name: string
  /** Ability to decide, and so to see the number of waiting items. */
  ability: string
  /**
   * `select … as since from … where … order by …`: when each item began to wait, oldest first, in the order
   * of an index.
   */
  waiting(sql: Db): Fragment
}

export type Series = {
  name: string
  ability: string
  /**
   * `select … as at, … as value from … where at >= from and at < until`: events of the period with their
   * weights, by an index on the time.
   */
  happened(sql: Db, from: string, until: string): Fragment
}

export type Statistics = { queues?: Queue[]; series?: Series[] }
