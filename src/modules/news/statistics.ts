import { pinQueue } from '#modules/pinning/index.ts'
import type { Statistics } from '#platform/statistics.ts'
import { STATUS } from './schema.ts'

const ability = 'admin: news'

/** Contributions, deletions and pins that editors decide on, and articles by the day of their publication. */
export const newsStatistics: Statistics = {
  queues: [
    {
      name: 'contributions',
      ability,
      waiting: (sql) => sql`
        select updated_at as since from news where audit_status = ${STATUS.waiting} order by id`,
    },
    {
      name: 'contribution-refunds',
      ability,
      waiting: (sql) => sql`
        select updated_at as since from news where audit_status = ${STATUS.refundAsked} order by id`,
    },
    {
      name: 'news-deletions',
      ability,
      waiting: (sql) =>
        sql`select created_at as since from news_deletions where state = 'pending' order by id`,
    },
    pinQueue('news', ability),
  ],
  series: [
    {
      name: 'news',
      ability,
      happened: (sql, from, until) => sql`
        select published_at as at, 1 as value from news
        where audit_status = 0 and published_at >= ${from} and published_at < ${until}`,
    },
  ],
}
