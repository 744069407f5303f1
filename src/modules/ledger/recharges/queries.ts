import type { Db } from '#platform/database.ts'
import type { Tables } from '#platform/tables.ts'
import type { Currency } from '../schema.ts'

/** An order to pay money in. */
export type RechargeRow = Tables['recharges'] & {
  currency: Currency
  state: 'pending' | 'confirmed' | 'rejected'
}

/** Opens an order for a payment; nothing moves yet. */
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

/** Decides a waiting recharge, once. Undefined when it is not waiting. */
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
