import type { Statistics } from '#platform/statistics.ts'

const ability = 'admin: groups'

/** Groups that wait for their audit, and groups and posts that were made. */
export const groupStatistics: Statistics = {
  queues: [
    {
      name: 'group-audits',
      ability,
      waiting: (sql) =>
        sql`select updated_at as since from groups where audit = 0 and deleted_at is null order by id`,
    },
  ],
  series: [
    {
      name: 'groups',
      ability,
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from groups where created_at >= ${from} and created_at < ${until}`,
    },
    {
      name: 'group-posts',
      ability,
      happened: (sql, from, until) => sql`
        select created_at as at, 1 as value from group_posts where created_at >= ${from} and created_at < ${until}`,
    },
  ],
}
