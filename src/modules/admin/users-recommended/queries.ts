import { nameContains } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { RecommendationQuery } from './schema.ts'

/** A page of those who are recommended. */
export function listRecommended(
  sql: Db,
  { page = 1, limit = 15, sort = 'recommended_at', order = 'desc', q }: RecommendationQuery,
) {
  const where = sql`where u.recommended_at is not null and u.deleted_at is null ${nameContains(sql, q)}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = sort === 'id' ? sql`` : sql`u.recommended_at ${direction},`
  return pageOf<{ id: number; recommended_at: string }>(
    sql`select u.id, u.recommended_at from users u ${where}
      order by ${by} u.id ${direction} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}
