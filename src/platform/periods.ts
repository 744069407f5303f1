import type { Db, Fragment } from '#platform/database.ts'

/** The periods of rankings: today (UTC), the last seven days, and the last thirty. */
export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** When a period began. */
export const startOf = (sql: Db, period: Period): Fragment =>
  ({
    day: sql`date_trunc('day', now())`,
    week: sql`now() - interval '7 days'`,
    month: sql`now() - interval '30 days'`,
  })[period]
