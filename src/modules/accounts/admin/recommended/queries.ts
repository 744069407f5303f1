import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { listingAt } from '#platform/sql.ts'
import { nameContains } from '../../users/queries.ts'
import type { RecommendationQuery } from './schema.ts'

/** A page of those who are recommended. */
export function listRecommended(
  sql: Db,
  { sort = 'recommended_at', order, q, ...page }: RecommendationQuery,
) {
  const where = sql`where u.recommended_at is not null and u.deleted_at is null ${nameContains(sql, q)}`
  const by = sort === 'recommended_at' ? sql`u.recommended_at` : undefined
  return pageOf<{ id: number; recommended_at: string }>(
    sql,
    sql`select u.id, u.recommended_at from users u ${where}
      ${listingAt(sql, { order, ...page }, { id: sql`u.id`, by, from: sql`users u` })}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}
