import type { Db } from '#platform/database.ts'
import type { RankType } from './schema.ts'

/** How far the ranking goes; its pages come from memory. */
const RANKED = 1000

/** Who received most likes on feeds made today (UTC), in the last seven days, or in the last thirty. */
export const rankAuthors = (sql: Db, type: RankType) => sql<{ user_id: number; count: number }[]>`
  select f.user_id, sum(f.like_count)::bigint as count
  from feeds f join users u on u.id = f.user_id
  where f.created_at >= ${
    type === 'day'
      ? sql`date_trunc('day', now())`
      : type === 'week'
        ? sql`now() - interval '7 days'`
        : sql`now() - interval '30 days'`
  } and f.deleted_at is null and f.like_count > 0 and u.deleted_at is null
  group by f.user_id order by count desc, f.user_id limit ${RANKED}`
