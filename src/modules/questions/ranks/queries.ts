import type { Db } from '#platform/database.ts'
import type { Period } from './schema.ts'

export type Ranked = { user_id: number; count: number }

/** How far rankings go; their pages come from memory. */
const RANKED = 1000

/** Who answered most today (UTC), in the last seven days, or in the last thirty; what is anonymous counts for nobody. */
export const rankAnswerers = (sql: Db, period: Period) => sql<Ranked[]>`
  select a.user_id, count(*)::bigint as count
  from answers a join users u on u.id = a.user_id
  where a.created_at >= ${
    period === 'day'
      ? sql`date_trunc('day', now())`
      : period === 'week'
        ? sql`now() - interval '7 days'`
        : sql`now() - interval '30 days'`
  } and not a.anonymity and u.deleted_at is null
  group by a.user_id order by count desc, a.user_id limit ${RANKED}`

/** Whose answers received most likes ever; what is anonymous counts for nobody. */
export const rankLiked = (sql: Db) => sql<Ranked[]>`
  select x.user_id, x.likes_count as count from question_people x join users u on u.id = x.user_id
  where x.likes_count > 0 and u.deleted_at is null
  order by x.likes_count desc, x.user_id limit ${RANKED}`

/** Which experts earned most with answers in their topics. */
export const rankExperts = (sql: Db) => sql<Ranked[]>`
  select x.user_id, x.income as count from question_people x join users u on u.id = x.user_id
  where u.deleted_at is null and exists (select from question_topic_experts e where e.user_id = x.user_id)
  order by x.income desc, x.user_id limit ${RANKED}`
