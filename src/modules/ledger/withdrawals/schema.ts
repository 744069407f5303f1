import { Cursor, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { password } from '../people.ts'
import { Amount } from '../schema.ts'

/** `type` is one of the setting `wallet:cash-types`, `account` where the money is to go. */
export const CashBody = Shared('WithdrawalRequest', {
  value: Amount,
  type: Text(50),
  account: Text(255),
  password,
})
export type CashBody = Static<typeof CashBody>

export const PointsCashBody = Shared('PointsWithdrawalRequest', { amount: Amount, password })

export const CashQuery = Type.Object({ after: Cursor, limit: Limit() })

/** A withdrawal as its owner sees it (money-10). */
export const Cash = Shared('Withdrawal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  value: Type.Integer(),
  type: Type.String(),
  account: Type.String(),
  status: Type.Integer({ description: '0 waiting, 1 paid, 2 refused' }),
  remark: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
})
