import { escapeLike } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, orderAt } from '#platform/sql.ts'
import type { RequestQuery } from './schema.ts'

type Requests = 'withdrawals' | 'recharges'

const columns = (sql: Db): Fragment => sql`r.*, json_build_object('id', u.id, 'name', u.name) as user`

/** A page of requests that are decided once, with the names of their owners: looked up for those on the page only. */
export function listRequests<T extends object>(sql: Db, table: Requests, query: RequestQuery) {
  const { state, currency, user, q, sort = 'id' } = query
  const where = sql`where true
    ${ifGiven(sql, state, (value) => sql`and r.state = ${value}`)}
    ${ifGiven(sql, currency, (value) => sql`and r.currency = ${value}`)}
    ${ifGiven(sql, user, (value) => sql`and r.owner_id = ${value}`)}
    ${ifGiven(sql, q, (value) => sql`and r.owner_id in (select id from users where name ilike ${`%${escapeLike(value)}%`})`)}`
  const by = { id: undefined, amount: sql`r.amount`, updated_at: sql`r.updated_at` }[sort]
  const list = { id: sql`r.id`, by, from: sql`${sql(table)} r` }
  return pageOf<T>(
    sql,
    sql`select ${columns(sql)}
      from (select r.* from ${sql(table)} r ${where} ${listingAt(sql, query, list)}) r join users u on u.id = r.owner_id
      ${orderAt(sql, query, list)}`,
    sql`select count(*)::int as total from ${sql(table)} r ${where}`,
  )
}

/** One of these requests. */
export async function findRequest<T extends object>(
  sql: Db,
  table: Requests,
  id: number,
): Promise<T | undefined> {
  const [row] = await sql<
    T[]
  >`select ${columns(sql)} from ${sql(table)} r join users u on u.id = r.owner_id where r.id = ${id}`
  return row as T | undefined
}
