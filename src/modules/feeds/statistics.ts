import { pinQueue } from '#modules/pinning/index.ts'
import type { Statistics } from '#platform/statistics.ts'

/** Pins of feeds that administrators decide on, and feeds that were published, deleted ones included. */
export const feedStatistics: Statistics = {
  queues: [pinQueue('feed', 'admin: feed pinneds')],
  series: [
    {
      name: 'feeds',
      ability: 'admin: feeds',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from feeds where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
