import type { Db, Tables, Tx } from '#platform/database'
import type { Currency } from '../schema.ts'

export type RechargeRow = Tables['recharges'] & {
  currency: Currency
  state: 'pending' | 'confirmed' | 'rejected'
}

export async function insertRecharge(
  sql: Db,
  order: Pick<RechargeRow, 'owner_id' | 'currency' | 'provider' | 'amount' | 'credited'>,
): Promise<RechargeRow> {
  const [row] = await sql<[RechargeRow]>`
    insert into recharges (owner_id, currency, provider, amount, credited)
    values (${order.owner_id}, ${order.currency}, ${order.provider}, ${order.amount}, ${order.credited})
    returning *`
  return row
}

/** Takes an advisory lock, so that concurrent recharges of a user cannot both pass the daily limit. */
export async function sumOfDay(sql: Tx, ownerId: number, timeZone: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`recharges ${ownerId}`}, 4127))`
  const [row] = await sql<[{ sum: number }]>`
    select coalesce(sum(amount), 0)::bigint as sum from recharges
    where owner_id = ${ownerId} and state <> 'rejected'
      and created_at >= date_trunc('day', now() at time zone ${timeZone}) at time zone ${timeZone}`
  return row.sum
}

export async function closeRecharge(
  sql: Db,
  id: number,
  to: { state: 'confirmed' | 'rejected'; reference: string | null; remark: string | null; by: number },
): Promise<RechargeRow | undefined> {
  const [row] = await sql<RechargeRow[]>`
    update recharges set state = ${to.state}, reference = ${to.reference}, remark = ${to.remark},
      decided_by = ${to.by}, decided_at = now(), updated_at = now()
    where id = ${id} and state = 'pending'
    returning *`
  return row
}

export async function findRecharge(sql: Db, id: number): Promise<RechargeRow | undefined> {
  const [row] = await sql<RechargeRow[]>`select * from recharges where id = ${id}`
  return row
}
