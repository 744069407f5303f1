import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import type { PeriodSums } from '#platform/period-sums.ts'
import { ifGiven } from '#platform/sql.ts'
import { ANSWERS_GIVEN } from '../queries.ts'

/** How far rankings go; their pages come from memory. */
export const RANKED = 1000

/** How many answers people gave in a period; what is anonymous counts for nobody. */
export const answersGiven: PeriodSums = {
  ranking: ANSWERS_GIVEN,
  counted: (sql, from, before) => sql`
    select a.user_id, 1 as n from answers a
    where a.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and a.created_at < ${end}`)} and not a.anonymity`,
}

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
