import type { Statistics } from '#platform/statistics.ts'

/** Papers that nobody has decided on. */
export const certificationStatistics: Statistics = {
  queues: [
    {
      name: 'certifications',
      ability: 'admin: certifications',
      waiting: (sql) => sql`select updated_at as since from certifications where status = 0 order by id`,
    },
  ],
}
