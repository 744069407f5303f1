import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { FamousType } from '../../famous/schema.ts'
import { nameContains } from '../../users/queries.ts'
import type { FamousQuery } from './schema.ts'

/** A page of those whom newcomers follow. */
export function listFamous(sql: Db, { sort = 'created_at', order, q, type, ...page }: FamousQuery) {
  const from = sql`from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
    where true ${nameContains(sql, q)} ${ifGiven(sql, type, (value) => sql`and f.type = ${value}`)}`
  const by = sort === 'created_at' ? sql`f.created_at` : undefined
  return pageOf<{ id: number; type: FamousType; created_at: string }>(
    sql,
    sql`select u.id, f.type, f.created_at ${from}
      ${listingAt(sql, { order, ...page }, { id: sql`f.user_id`, by, from: sql`famous_users f` })}`,
    sql`select count(*)::int as total ${from}`,
  )
}

/** How many there are: each costs every registration two rows. */
export async function countFamous(sql: Db): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from famous_users`
  return row.total
}
