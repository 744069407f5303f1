import type { Statistics } from '#platform/statistics.ts'

/** Reports that nobody has dealt with. */
export const reportStatistics: Statistics = {
  queues: [
    {
      name: 'reports',
      ability: 'admin: reports',
      waiting: (sql) => sql`select created_at as since from reports where status = 0 order by id`,
    },
  ],
}
