import { notBlockedBy } from '#modules/accounts/index.ts'
import { dearestFirst, shownPins } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'
import { NEWS_PIN } from '../schema.ts'

/** The articles pinned now, dearest first, without those of people the viewer blocks. */
export const listPinnedNews = (
  sql: Db,
  { categoryId, viewerId, limit }: { categoryId: number | undefined; viewerId: number; limit: number },
) => sql<{ id: number }[]>`
  select n.id from ${shownPins(sql, NEWS_PIN)} join news n on n.id = p.target_id
  where n.audit_status = 0 ${ifGiven(sql, categoryId, (id) => sql`and n.category_id = ${id}`)}
    ${notBlockedBy(sql, viewerId, sql`n.user_id`)}
  order by ${dearestFirst(sql)} limit ${limit}`
