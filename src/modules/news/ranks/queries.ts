import type { Db } from '#platform/database.ts'

export const RANK_TYPES = ['day', 'week', 'month'] as const
export type RankType = (typeof RANK_TYPES)[number]

/** How far the ranking goes; its pages come from memory. */
const RANKED = 1000

/** Whose articles of today (UTC), of the last seven days or of the last thirty were read most. */
export const rankAuthors = (sql: Db, type: RankType) => sql<{ user_id: number; count: number }[]>`
  select n.user_id, sum(c.hits)::bigint as count
  from news n join news_counts c on c.news_id = n.id join users u on u.id = n.user_id
  where n.audit_status = 0 and c.hits > 0 and u.deleted_at is null and n.published_at >= ${
    type === 'day'
      ? sql`date_trunc('day', now())`
      : type === 'week'
        ? sql`now() - interval '7 days'`
        : sql`now() - interval '30 days'`
  }
  group by n.user_id order by count desc, n.user_id limit ${RANKED}`
