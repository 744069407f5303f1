import type { Statistics } from '#platform/statistics.ts'

/** Who registered, also where the account was disabled since. */
export const accountStatistics: Statistics = {
  series: [
    {
      name: 'sign-ups',
      ability: 'admin:user:show',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from users where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
