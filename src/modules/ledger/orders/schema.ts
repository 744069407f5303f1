import { Cursor, Id, Limit, Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/http'
import { IN_FEN, IN_POINTS } from '../schema.ts'

export const OrderParams = Type.Object({ order: Id })

/** A movement as its owner sees it (money-4). */
const common = {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  title: Type.String(),
  body: Nullable(Type.String()),
  type: Type.Integer({ description: '1 income, -1 expense' }),
  target_type: Type.String(),
  target_id: Type.String({ description: 'The person on the other side, else "0"' }),
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
export type Order = Static<typeof WalletOrder>

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

/** A wallet movement in the older format (money-5). */
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

/** The wallet with the rules of the site (money-6). */
export const WalletInfo = Shared('WalletAndRules', {
  balance: Type.Integer(IN_FEN),
  labels: Type.Array(Type.Integer(IN_FEN)),
  ratio: Type.Integer(),
  rule: Type.String(),
  cash: Type.Array(Type.String()),
  recharge_type: Type.Array(Type.String()),
})
