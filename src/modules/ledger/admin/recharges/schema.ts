import { Id, Nullable, OneOf, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { decided, Owner, requestQuery } from '../schema.ts'

export const RechargeQuery = requestQuery(['pending', 'confirmed', 'rejected'])

/** An order to pay money in. */
export const AdminRecharge = Shared('AdminRecharge', {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: Owner,
  currency: Type.String(),
  provider: Type.String(),
  amount: Type.Integer({ description: 'What is to be paid, in fen' }),
  credited: Type.Integer({ description: 'What is credited for it, in the currency' }),
  state: Type.String({ description: 'pending, confirmed or rejected' }),
  reference: Nullable(Type.String()),
  ...decided,
})
export type AdminRecharge = Static<typeof AdminRecharge>
export const RechargeParams = Type.Object({ recharge: Id })

/** `reference`: the number of the payment, needed to accept it; each counts once. */
export const RechargeDecision = Shared('RechargeDecision', {
  action: OneOf(['accept', 'reject'] as const),
  reference: Type.Optional(Text(255)),
  remark: Type.Optional(Text(255)),
})
