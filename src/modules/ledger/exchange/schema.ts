import { Id, Shared, type Static } from '#platform/schema.ts'
import { password } from '../people.ts'
import { Amount } from '../schema.ts'

/** Wallet money for somebody else. */
export const TransferBody = Shared('Transfer', { user: Id, amount: Amount, password })
export type TransferBody = Static<typeof TransferBody>

/** Wallet money that becomes points. */
export const TransformBody = Shared('Exchange', { amount: Amount })
