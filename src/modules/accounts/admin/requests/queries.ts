import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import type { RequestRow } from '../../requests/queries.ts'
import type { RegistrationRequestQuery } from './schema.ts'

type ManagedRequestRow = RequestRow & Row<'users', 'email' | 'phone'> & { inviter_id: number | null }

const columns = (sql: Db) => sql`
  select r.*, u.email, u.phone, n.inviter_id from registration_requests r
  left join users u on u.id = r.user_id left join invitation_uses n on n.user_id = r.user_id`

/** A page of those who asked to join. */
export function listRequests(
  sql: Db,
  { order = 'asc', state = 'waiting', q, ...page }: RegistrationRequestQuery,
) {
  const where = sql`
    where r.state = ${state} ${ifGiven(sql, q, (part) => sql`and r.name ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<ManagedRequestRow>(
    sql,
    sql`${columns(sql)} ${where} ${listingAt(sql, { order, ...page }, { id: sql`r.id` })}`,
    sql`select count(*)::int as total from registration_requests r ${where}`,
  )
}

/** One of them. */
export async function findRequest(sql: Db, id: number): Promise<ManagedRequestRow | undefined> {
  const [row] = await sql<ManagedRequestRow[]>`${columns(sql)} where r.id = ${id}`
  return row
}
