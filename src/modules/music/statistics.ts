import type { Statistics } from '#platform/statistics.ts'

/** Songs that were added. */
export const musicStatistics: Statistics = {
  series: [
    {
      name: 'songs',
      ability: 'admin: music',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from music_songs where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
