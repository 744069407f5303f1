import type { Statistics } from '#platform/statistics.ts'

/** Topics that wait for review, and those that were made. */
export const topicStatistics: Statistics = {
  queues: [
    {
      name: 'topic-reviews',
      ability: 'admin: feed topics',
      waiting: (sql) => sql`select created_at as since from feed_topics where status = 'waiting' order by id`,
    },
  ],
  series: [
    {
      name: 'topics',
      ability: 'admin: feed topics',
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from feed_topics where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
