import { OneOf, RawText, type Static, Text, Type } from '#platform/schema.ts'
import { Code, CodeTarget } from '../codes/schema.ts'

/** A new password (decisions §4). */
export const NewPassword = RawText(128, { minLength: 8 })

export const Registration = Type.Object({
  name: Text(100),
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: Type.Optional(NewPassword),
})
export type Registration = Static<typeof Registration>

/** A sign-in as registration answers it (R §12.5). */
export const RegisteredToken = Type.Object({
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
  /** Eleven digits. */
  phone?: string | null
  /** Whether a code proved the e-mail and phone. */
  verified?: boolean
  /** Names of roles; unknown ones are left out. */
  roles: readonly string[]
}
