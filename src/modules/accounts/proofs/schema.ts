import { RawText, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { Code } from '../codes/schema.ts'
import { FactorCode } from '../second-factor/schema.ts'

/**
 * What proves that it is the owner: the password, a code that was sent to the phone or e-mail of the account, or the second
 * factor. Who has none of these gives the name, so that nobody does by mistake what is for good.
 */
export const Proof = Shared('OwnerProof', {
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
  name: Type.Optional(Text(100)),
})
export type Proof = Static<typeof Proof>
