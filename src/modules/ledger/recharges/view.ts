import type { OrderRow } from '../orders/queries.ts'
import type { RechargeRow } from './queries.ts'

const STATES = { pending: 0, confirmed: 1, rejected: -1 } as const

/** A recharge as an order. */
export const rechargeOrder = (row: RechargeRow): OrderRow => ({
  id: row.id,
  owner_id: row.owner_id,
  currency: row.currency,
  amount: row.credited,
  counterpart: 0,
  kind: 'recharge',
  subject_type: 'recharges',
  subject_id: row.id,
  title: null,
  body: row.remark,
  state: STATES[row.state],
  reference: row.reference,
  created_at: row.created_at,
  updated_at: row.updated_at,
})
