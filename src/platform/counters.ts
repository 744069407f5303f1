import type { Db } from '#platform/database.ts'

/** A kept count that differs from what it counts. */
export type Drift = { key: string; kept: number; counted: number }

/** A recount of one kind of counter, which `kith doctor` runs: it lists at most 100 differences, and mends all. */
export type CounterCheck = {
  /** Such as `feed_topics.followers_count`. */
  name: string
  find(sql: Db): Promise<Drift[]>
  /** Sets the counters to what is counted; answers how many were wrong. */
  mend(sql: Db): Promise<number>
}
