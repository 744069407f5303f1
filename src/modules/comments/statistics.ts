import type { Statistics } from '#platform/statistics.ts'

/** Comments of every kind. */
export const commentStatistics: Statistics = {
  series: [
    {
      name: 'comments',
      ability: 'admin: feeds',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from comments where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
