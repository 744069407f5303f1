import { OneOf, RawText, Shared, type Static, Type } from '#platform/schema.ts'
import { Code, CodeTarget } from '../codes/schema.ts'
import { NewPassword } from '../registration/schema.ts'

/** A new password, with the old one where there is one. */
export const PasswordChange = Shared('PasswordChange', {
  old_password: Type.Optional(RawText(128)),
  password: NewPassword,
  password_confirmation: Type.Optional(RawText(128)),
})
export type PasswordChange = Static<typeof PasswordChange>

/** A new password, with a code instead of the old one. */
export const PasswordReset = Shared('PasswordReset', {
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: NewPassword,
})
export type PasswordReset = Static<typeof PasswordReset>
