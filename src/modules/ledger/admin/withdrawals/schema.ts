import { Id, Nullable, OneOf, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { decided, Owner, requestQuery } from '../schema.ts'

export const WithdrawalQuery = requestQuery(['pending', 'passed', 'rejected'])

/** A request to take money or points out. */
export const AdminWithdrawal = Shared('AdminWithdrawal', {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: Owner,
  currency: Type.String(),
  amount: Type.Integer(),
  payout: Type.Integer({ description: 'What is paid for it, in fen' }),
  type: Nullable(Type.String()),
  account: Nullable(Type.String()),
  state: Type.String({ description: 'pending, passed or rejected' }),
  ...decided,
})
export type AdminWithdrawal = Static<typeof AdminWithdrawal>
export const WithdrawalParams = Type.Object({ withdrawal: Id })

/** What an administrator decides on a withdrawal. */
export const WithdrawalDecision = Shared('WithdrawalDecision', {
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})
