import { escapeLike } from '#lib/text.ts'
import { wireTimeOrNull, withWireTimes } from '#lib/time.ts'
import { type Db, type Fragment, ifGiven, listingClause, listingOrder } from '#platform/database'
import { Id, listingQuery, Nullable, OneOf, pageOf, type Static, Time, Type } from '#platform/http'
import { CURRENCIES } from '../schema.ts'

export const requestQuery = <const S extends readonly string[]>(states: S) =>
  Type.Object({
    ...listingQuery(['id', 'amount', 'updated_at'] as const),
    state: Type.Optional(OneOf(states)),
    currency: Type.Optional(OneOf(CURRENCIES)),
    user: Type.Optional(Id),
  })
export type RequestQuery = Omit<Static<ReturnType<typeof requestQuery<[]>>>, 'state'> & { state?: string }

export const Owner = Nullable(
  Type.Unsafe<{ id: number; name: string }>({ type: 'object', additionalProperties: true }),
)

export const decided = {
  remark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}

type Requests = 'withdrawals' | 'recharges'

const columns = (sql: Db, table: Requests): Fragment => sql`
  r.*, json_build_object('id', u.id, 'name', u.name) as user ${
    table === 'recharges'
      ? sql`, p.charged, p.charge_currency, p.refunded, p.state as payment, p.dispute,
          p.provider_fee as fee, p.fee_currency`
      : sql``
  }`

/**
 * Looks up the payment of each recharge in a lateral join. For a plain join, the planner overestimates the rows and
 * scans the table.
 */
const joined = (sql: Db, table: Requests): Fragment =>
  sql`join users u on u.id = r.owner_id ${
    table === 'recharges'
      ? sql`left join lateral (select * from payments where recharge_id = r.id limit 1) p on true`
      : sql``
  }`

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
    sql`select ${columns(sql, table)}
      from (select r.* from ${sql(table)} r ${where} ${listingClause(sql, query, list)}) r ${joined(sql, table)}
      ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from ${sql(table)} r ${where}`,
  )
}

export async function findRequest<T extends object>(
  sql: Db,
  table: Requests,
  id: number,
): Promise<T | undefined> {
  const [row] = await sql<
    T[]
  >`select ${columns(sql, table)} from ${sql(table)} r ${joined(sql, table)} where r.id = ${id}`
  return row as T | undefined
}

type Decided = { created_at: string; updated_at: string; decided_at: string | null }

export const withTimes = <T extends Decided>(row: T): T => ({
  ...withWireTimes(row),
  decided_at: wireTimeOrNull(row.decided_at),
})
