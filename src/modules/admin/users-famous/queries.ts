import { type FamousType, nameContains } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { FamousQuery } from './schema.ts'

/** A page of those whom newcomers follow. */
export function listFamous(
  sql: Db,
  { page = 1, limit = 15, sort = 'created_at', order = 'desc', q, type }: FamousQuery,
) {
  const from = sql`from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
    where true ${nameContains(sql, q)} ${type === undefined ? sql`` : sql`and f.type = ${type}`}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = sort === 'id' ? sql`` : sql`f.created_at ${direction},`
  return pageOf<{ id: number; type: FamousType; created_at: string }>(
    sql`select u.id, f.type, f.created_at ${from}
      order by ${by} u.id ${direction} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total ${from}`,
  )
}

/** How many there are: each costs every registration two rows. */
export async function countFamous(sql: Db): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from famous_users`
  return row.total
}
