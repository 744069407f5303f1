import { wireTime } from '#lib/time.ts'
import type { Language } from '#platform/errors.ts'
import { KINDS, type MovementKind } from '../schema.ts'
import type { OrderRow } from './queries.ts'
import type { Charge, Order } from './schema.ts'

/** Client names for the other side of an order (money-4). `widthdraw` is the clients' spelling. */
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

/** An order in the client's language. */
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

/** An order of points. */
export const pointsOrderView = (row: OrderRow, language: Language) => ({
  ...orderView(row, language),
  currency: 1,
})

/** A wallet order in the older format. */
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
