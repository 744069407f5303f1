import { OneOf, RawText, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { Code, CodeTarget } from '../codes/schema.ts'
import { InvitationCode } from '../invitations/schema.ts'

/** A new password (sign-in-7). */
export const NewPassword = RawText(128, { minLength: 8 })

/** An account of one's own, with the code that proves its phone or e-mail. */
export const Registration = Shared('Registration', {
  name: Text(100),
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: Type.Optional(NewPassword),
  invitation_code: Type.Optional(InvitationCode),
  introduction: Type.Optional(
    Text(500, { description: 'what somebody says of themselves who needs an approval' }),
  ),
})
export type Registration = Static<typeof Registration>

/** A sign-in as registration answers it (sign-in-2). */
export const RegisteredToken = Shared('RegisteredToken', {
  token: Type.String(),
  ttl: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'minutes' }),
})

/** What an account begins with. */
export type NewUser = {
  name: string
  /** As `hashPassword` made it; null for somebody who signs in with codes. */
  password: string | null
  /** As typed. */
  email?: string | null
  /** As `normalizePhone` made it. */
  phone?: string | null
  /** Whether a code proved the e-mail and phone. */
  verified?: boolean
  /** Waits for an approval, disabled until then; what it says of itself. */
  waiting?: { introduction: string | null }
  /** Names of roles; unknown ones are left out. */
  roles: readonly string[]
}
