import { OneOf, RawText, type Static, Type } from '#platform/schema.ts'
import { Code, CodeTarget } from '../codes/schema.ts'
import { NewPassword } from '../registration/schema.ts'

export const PasswordChange = Type.Object({
  old_password: Type.Optional(RawText(128)),
  password: NewPassword,
  password_confirmation: Type.Optional(RawText(128)),
})
export type PasswordChange = Static<typeof PasswordChange>

export const PasswordReset = Type.Object({
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: NewPassword,
})
export type PasswordReset = Static<typeof PasswordReset>
