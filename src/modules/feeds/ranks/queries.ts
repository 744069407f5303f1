import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { type Period, startOf } from '#platform/periods.ts'
import { visibleFeed } from '../queries.ts'

/** How far the ranking goes; its pages come from memory. */
const RANKED = 1000

/** Who received most likes on feeds made in a period. */
export const rankAuthors = (sql: Db, period: Period) => sql<RankedRow[]>`
  select f.user_id, sum(f.like_count)::bigint as count
  from feeds f ${withEnabledUser(sql, sql`f.user_id`)}
  where f.created_at >= ${startOf(sql, period)} and ${visibleFeed(sql)} and f.like_count > 0
  group by f.user_id order by count desc, f.user_id limit ${RANKED}`
