import { Id, type Static, Type } from '#platform/schema.ts'
import { password } from '../password.ts'
import { Amount } from '../schema.ts'

export const TransferBody = Type.Object({ user: Id, amount: Amount, password })
export type TransferBody = Static<typeof TransferBody>

export const TransformBody = Type.Object({ amount: Amount })
