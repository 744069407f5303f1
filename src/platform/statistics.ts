import type { Db, Fragment } from '#platform/database.ts'

/** What waits for a decision of administrators. */
export type Queue = {
  /** Such as `topic-reviews`. */
  name: string
  /** Who decides, and so sees how many wait. */
  ability: string
  /** `select … as since from … where … order by …`: since when each waits, in the order of an index and oldest first. */
  waiting(sql: Db): Fragment
}

/** What is counted day by day. */
export type Series = {
  /** Such as `feeds`. */
  name: string
  ability: string
  /**
   * `select … as at, … as value from … where at >= from and at < until`: what happened in that time and how much each
   * counts, found by an index of its time.
   */
  happened(sql: Db, from: string, until: string): Fragment
}

/** What one module has for the statistics of administrators. */
export type Statistics = { queues?: Queue[]; series?: Series[] }
