import { type Db, ifGiven, type Row, when } from '#platform/database'
import type { Currency, MovementKind } from '../schema.ts'

/** `amount` is signed: positive when received, negative when paid. */
export type OrderRow = Row<
  'ledger_postings',
  | 'id'
  | 'owner_id'
  | 'amount'
  | 'counterpart'
  | 'subject_type'
  | 'subject_id'
  | 'title'
  | 'body'
  | 'created_at'
> & {
  currency: Currency
  kind: MovementKind
  state: number
  reference: string | null
  updated_at: string
}

/** Filters for orders. `direction` selects received (1) or paid (-1), `kind` one kind. */
export type OrderFilter = {
  currency: Currency
  after?: number
  limit: number
  direction?: 1 | -1 | undefined
  kind?: 'recharge' | 'withdrawal' | undefined
  id?: number
}

/**
 * Lists orders as a view of the ledger, newest first. A recharge is an order before any money moves and keeps
 * its id, so it is read from its own table instead of its posting. The price of a pin goes through escrow;
 * its order names the payer or the decider.
 */
export const listOrders = (sql: Db, ownerId: number, filter: OrderFilter) => {
  const { currency, after = 0, limit, direction, kind, id } = filter
  const page = sql`
    ${when(sql, after > 0, () => sql`and o.id < ${after}`)} ${ifGiven(sql, id, (value) => sql`and o.id = ${value}`)}`
  const postings =
    kind === 'recharge'
      ? sql`and false`
      : kind === 'withdrawal'
        ? sql`and o.kind in ('withdrawal', 'withdrawal:rejected')`
        : sql`and o.kind <> 'recharge'`
  const sign = ifGiven(sql, direction, (value) =>
    value === 1 ? sql`and o.amount > 0` : sql`and o.amount < 0`,
  )
  const recharges = when(sql, kind === 'withdrawal' || direction === -1, () => sql`and false`)
  return sql<OrderRow[]>`
    (select o.id, o.owner_id, o.currency, o.amount, coalesce(p.other, o.counterpart) as counterpart, o.kind,
        o.subject_type, o.subject_id, o.title,
        coalesce(o.body, w.remark) as body,
        coalesce(case w.state when 'pending' then 0 when 'rejected' then -1 end, 1) as state,
        w.account as reference, o.created_at, coalesce(w.updated_at, o.created_at) as updated_at
      from ledger_postings o left join withdrawals w on o.kind = 'withdrawal' and w.id = o.subject_id
      left join lateral (
        select case o.owner_id when user_id then decider_id else user_id end as other from pins
        where o.subject_type = 'pins' and id = o.subject_id
      ) p on true
      where o.owner_id = ${ownerId} and o.currency = ${currency} ${page} ${postings} ${sign}
      order by o.id desc limit ${limit})
    union all
    (select o.id, o.owner_id, o.currency, o.credited, 0, 'recharge', 'recharges', o.id, null, o.remark,
        case o.state when 'pending' then 0 when 'rejected' then -1 else 1 end,
        o.reference, o.created_at, o.updated_at
      from recharges o
      where o.owner_id = ${ownerId} and o.currency = ${currency} ${page} ${recharges}
      order by o.id desc limit ${limit})
    order by id desc limit ${limit}`
}

/** Finds one order of a user. */
export async function findOrder(
  sql: Db,
  ownerId: number,
  currency: Currency,
  id: number,
): Promise<OrderRow | undefined> {
  const [row] = await listOrders(sql, ownerId, { currency, id, limit: 1 })
  return row
}
