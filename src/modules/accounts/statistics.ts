import type { Statistics } from '#platform/statistics.ts'

/** Newcomers and appeals that nobody has decided on, and who registered, also where the account was disabled since. */
export const accountStatistics: Statistics = {
  queues: [
    {
      name: 'registrations',
      ability: 'admin: registrations',
      waiting: (sql) => sql`
        select created_at as since from registration_requests where state = 'waiting' order by id`,
    },
    {
      name: 'appeals',
      ability: 'admin: sanctions',
      waiting: (sql) => sql`select created_at as since from appeals where state = 'pending' order by id`,
    },
  ],
  series: [
    {
      name: 'sign-ups',
      ability: 'admin:user:show',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from users where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
