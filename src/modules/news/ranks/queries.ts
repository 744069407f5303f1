import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { type Period, startOf } from '#platform/periods.ts'

/** How far the ranking goes; its pages come from memory. */
const RANKED = 1000

/** Whose articles of a period were read most. */
export const rankAuthors = (sql: Db, period: Period) => sql<RankedRow[]>`
  select n.user_id, sum(c.hits)::bigint as count
  from news n join news_counts c on c.news_id = n.id ${withEnabledUser(sql, sql`n.user_id`)}
  where n.audit_status = 0 and c.hits > 0 and n.published_at >= ${startOf(sql, period)}
  group by n.user_id order by count desc, n.user_id limit ${RANKED}`
