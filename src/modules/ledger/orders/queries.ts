import { wireTime } from '#lib/time.ts'
import { type Db, ifGiven, type Row, when } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { Cursor, Id, Limit, Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/http'
import { type Currency, IN_FEN, IN_POINTS, KINDS, type MovementKind } from '../schema.ts'

export const OrderParams = Type.Object({ order: Id })

const common = {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  title: Type.String(),
  body: Nullable(Type.String()),
  type: Type.Integer({ description: '1 income, -1 expense' }),
  target_type: Type.String(),
  target_id: Type.String({ description: 'Id of the other user, or "0"' }),
  state: Type.Integer({ description: '0 waiting, 1 done, -1 failed' }),
  created_at: Time,
  updated_at: Time,
}

export const WalletOrder = Shared('WalletOrder', { ...common, amount: Type.Integer(IN_FEN) })
export const PointsOrder = Shared('PointsOrder', {
  ...common,
  amount: Type.Integer(IN_POINTS),
  currency: Type.Integer({ description: '1: points' }),
})
type Order = Static<typeof WalletOrder>

const SIGNS = ['1', '-1'] as const
const paging = { after: Cursor, limit: Limit(), type: Type.Optional(OneOf(SIGNS)) }

export const WalletOrderQuery = Type.Object({
  ...paging,
  action: Type.Optional(OneOf(['income', 'expenses'] as const)),
})
export const PointsOrderQuery = Type.Object({
  ...paging,
  action: Type.Optional(OneOf(['recharge', 'cash'] as const)),
})

export const Charge = Shared('Charge', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  channel: Type.String(),
  account: Nullable(Type.String()),
  charge_id: Nullable(Type.String()),
  action: Type.Integer({ description: '1 in, 0 out' }),
  amount: Type.Integer(IN_FEN),
  currency: Type.String(),
  subject: Type.String(),
  body: Nullable(Type.String()),
  transaction_no: Nullable(Type.String()),
  status: Type.Integer({ description: '0 waiting, 1 done, 2 failed' }),
  created_at: Time,
  updated_at: Time,
})
export type Charge = Static<typeof Charge>

export const ChargeParams = Type.Object({ charge: Id })
export const ChargeQuery = Type.Object({
  after: Cursor,
  limit: Limit(),
  action: Type.Optional(OneOf(['1', '0', '2'] as const, { description: '1 in; 0 or 2 out' })),
})

export const WalletInfo = Shared('WalletAndRules', {
  balance: Type.Integer(IN_FEN),
  labels: Type.Array(Type.Integer(IN_FEN)),
  ratio: Type.Integer(),
  rule: Type.String(),
  cash: Type.Array(Type.String()),
  recharge_type: Type.Array(Type.String()),
})

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

type OrderFilter = {
  currency: Currency
  after?: number
  limit: number
  direction?: 1 | -1 | undefined
  kind?: 'recharge' | 'withdrawal' | undefined
  id?: number
}

/** Reads recharges from their own table, because an unpaid recharge is an order without a posting. */
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

export async function findOrder(
  sql: Db,
  ownerId: number,
  currency: Currency,
  id: number,
): Promise<OrderRow | undefined> {
  const [row] = await listOrders(sql, ownerId, { currency, id, limit: 1 })
  return row
}

/**
 * Values of `target_type` by kind of movement (money-4). The default is `user`. Clients expect the misspelled
 * `widthdraw`.
 */
const POINTS_TARGETS: Partial<Record<MovementKind, string>> = {
  recharge: 'recharge',
  withdrawal: 'cash',
  'withdrawal:rejected': 'cash',
  transform: 'default',
  adjustment: 'default',
  checkin: 'task',
}
const WALLET_TARGETS: Partial<Record<MovementKind, string>> = {
  recharge: 'recharge_ping_p_p',
  withdrawal: 'widthdraw',
  'withdrawal:rejected': 'widthdraw',
  'withdrawal:passed': 'transform',
  transform: 'transform',
  reward: 'reward',
  adjustment: 'default',
}

const targetType = ({ currency, kind }: OrderRow) =>
  (currency === 'points' ? POINTS_TARGETS : WALLET_TARGETS)[kind] ?? 'user'

const titleOf = ({ kind, title, amount }: OrderRow, language: Language) =>
  title ?? KINDS[kind][amount > 0 ? 'in' : 'out'][language]

export const orderView = (row: OrderRow, language: Language): Order => ({
  id: row.id,
  owner_id: row.owner_id,
  title: titleOf(row, language),
  body: row.body,
  type: row.amount > 0 ? 1 : -1,
  target_type: targetType(row),
  target_id: String(Math.max(row.counterpart, 0)),
  amount: Math.abs(row.amount),
  state: row.state,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export const pointsOrderView = (row: OrderRow, language: Language) => ({
  ...orderView(row, language),
  currency: 1,
})

export const chargeView = (row: OrderRow, language: Language): Charge => ({
  id: row.id,
  user_id: row.owner_id,
  channel: row.counterpart > 0 ? 'user' : row.kind === 'recharge' ? 'recharge' : 'system',
  account: row.counterpart > 0 ? String(row.counterpart) : row.kind === 'withdrawal' ? row.reference : null,
  charge_id: row.kind === 'recharge' ? String(row.id) : null,
  action: row.amount > 0 ? 1 : 0,
  amount: Math.abs(row.amount),
  currency: 'cny',
  subject: titleOf(row, language),
  body: row.body,
  transaction_no: row.kind === 'recharge' ? row.reference : null,
  status: row.state === -1 ? 2 : row.state,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})
