import { MAX_AMOUNT } from '#lib/money.ts'
import { Int, Open, type Static, Text, Type } from '#platform/schema.ts'
import { PointsOrder, WalletOrder } from '../orders/schema.ts'

/** `amount` is what is going to be paid, in fen; `extra` is for the provider. */
export const RechargeBody = Type.Object({
  type: Text(50),
  amount: Int(1, MAX_AMOUNT),
  extra: Type.Optional(Open),
})
export type RechargeBody = Static<typeof RechargeBody>

/** The order and what the provider tells the client of the payment. */
export const WalletRecharge = Type.Object({ order: WalletOrder, pingpp_order: Open })
export const PointsRecharge = Type.Object({ order: PointsOrder, pingpp_order: Open })

/** The earlier form. */
export const ChargedRecharge = Type.Object({ id: Type.Integer(), charge: Open })
