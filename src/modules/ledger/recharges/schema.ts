import { MAX_AMOUNT } from '#lib/money.ts'
import { Int, Open, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { PointsOrder, WalletOrder } from '../orders/schema.ts'

/** `amount` is what is going to be paid, in fen; `extra` is for the provider. */
export const RechargeBody = Shared('RechargeRequest', {
  type: Text(50),
  amount: Int(1, MAX_AMOUNT),
  extra: Type.Optional(Open),
})
export type RechargeBody = Static<typeof RechargeBody>

/** The order and what the provider tells the client of the payment. */
export const WalletRecharge = Shared('WalletRecharge', { order: WalletOrder, pingpp_order: Open })
export const PointsRecharge = Shared('PointsRecharge', { order: PointsOrder, pingpp_order: Open })

/** The earlier form. */
export const ChargedRecharge = Shared('ChargedRecharge', { id: Type.Integer(), charge: Open })
