import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { type Period, startOf } from '#platform/periods.ts'

/** How far rankings go; their pages come from memory. */
const RANKED = 1000

/** Who answered most in a period; what is anonymous counts for nobody. */
export const rankAnswerers = (sql: Db, period: Period) => sql<RankedRow[]>`
  select a.user_id, count(*)::bigint as count from answers a ${withEnabledUser(sql, sql`a.user_id`)}
  where a.created_at >= ${startOf(sql, period)} and not a.anonymity
  group by a.user_id order by count desc, a.user_id limit ${RANKED}`

/** Whose answers received most likes ever; what is anonymous counts for nobody. */
export const rankLiked = (sql: Db) => sql<RankedRow[]>`
  select x.user_id, x.likes_count as count from question_people x ${withEnabledUser(sql, sql`x.user_id`)}
  where x.likes_count > 0
  order by x.likes_count desc, x.user_id limit ${RANKED}`

/** Which experts earned most with answers in their topics. */
export const rankExperts = (sql: Db) => sql<RankedRow[]>`
  select x.user_id, x.income as count from question_people x ${withEnabledUser(sql, sql`x.user_id`)}
  where exists (select from question_topic_experts e where e.user_id = x.user_id)
  order by x.income desc, x.user_id limit ${RANKED}`
