import { apiError, fieldError } from '#platform/errors.ts'
import { Int, Shared, type Static, Text, Type } from '#platform/http'
import { InvitationCode } from '../invitations/schema.ts'

export const codeTooEarly = apiError(
  403,
  'code_too_early',
  'A code was sent a moment ago. Wait a minute before asking for another.',
  '验证码已发送，请稍后再试。',
)
const unknown = (field: string) =>
  fieldError(field, 'no_such_account', 'Nobody has this account.', '该账号不存在。')
export const noSuchEmail = unknown('email')
export const noSuchPhone = unknown('phone')

/** Recipient of a code: exactly one of phone and e-mail. */
export const CodeTarget = Shared('CodeTarget', {
  phone: Type.Optional(Text(20)),
  email: Type.Optional(Text(128)),
})
export type CodeTarget = Static<typeof CodeTarget>

/** Recipient of a registration code, with an invitation if the settings require one. */
export const RegistrationCodeTarget = Shared('RegistrationCodeTarget', {
  ...CodeTarget.properties,
  invitation_code: Type.Optional(InvitationCode),
})
export type RegistrationCodeTarget = Static<typeof RegistrationCodeTarget>

/** A received code. An integer also accepts a code from a client that dropped its leading zeros. */
export const Code = Int(0, 999_999, { description: 'six digits' })

export type Channel = 'mail' | 'sms'

/**
 * Purpose of a code. `register`: an unused account, for registration and binding. `user`: a used account, for
 * sign-in, password reset and unbinding.
 */
export type Purpose = 'register' | 'user'

/** An e-mail address or phone number, as typed and in its unique form. */
export type Account = { channel: Channel; field: 'email' | 'phone'; value: string; key: string }
