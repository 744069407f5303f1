import { OneOf, RawText, Shared, type Static, Text, Type } from '#platform/http'
import { Code, CodeTarget } from '../codes/schema.ts'
import { InvitationCode } from '../invitations/schema.ts'

/** A new password (sign-in-7). */
export const NewPassword = RawText(128, { minLength: 8 })

/** A registration, with the code that verifies the phone or e-mail. */
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

/** Access token in the reply to a registration (sign-in-2). */
export const RegisteredToken = Shared('RegisteredToken', {
  token: Type.String(),
  ttl: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'minutes' }),
})

/** Initial values of an account. */
export type NewUser = {
  name: string
  /** Hash from `hashPassword`. Null for sign-in by code only. */
  password: string | null
  email?: string | null
  /** Normalized by `normalizePhone`. */
  phone?: string | null
  /** True if a code verified the e-mail or phone. */
  verified?: boolean
  /** Set for an account that is disabled until its approval, with the applicant's introduction. */
  waiting?: { introduction: string | null }
  /** Role names. Unknown ones are ignored. */
  roles: readonly string[]
}
