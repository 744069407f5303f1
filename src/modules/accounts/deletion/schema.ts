import { RawText, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { Code } from '../codes/schema.ts'

/**
 * What proves that it is the owner: the password, or a code that was sent to the phone or e-mail of the account. Who has none of
 * these gives the name, so that nobody deletes an account by mistake.
 */
export const Proof = Shared('OwnerProof', {
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  name: Type.Optional(Text(100)),
})
export type Proof = Static<typeof Proof>

/** Until when signing in takes the deletion back. */
export const Deletion = Shared('AccountDeletion', { due_at: Time })
