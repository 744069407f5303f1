import { apiError, fieldError } from '#platform/errors.ts'
import { OneOf, RawText, Shared, type Static, Type } from '#platform/http'
import { Code, CodeTarget } from '../codes/schema.ts'
import { NewPassword } from '../registration/schema.ts'

export const wrongPaymentPassword = apiError(403, 'wrong_password', 'The password is wrong.', '密码错误。')
export const paymentNeedsPassword = apiError(
  403,
  'password_not_set',
  'Set a password for your account before you pay.',
  '支付前请先为账号设置密码。',
)
/** Errors of `checkPaymentPassword`. */
export const PAYMENT_PASSWORD_ERRORS = [wrongPaymentPassword, paymentNeedsPassword]

export const bothAccounts = apiError(
  400,
  'ambiguous_account',
  'Give either a phone number or an e-mail address, not both.',
  '手机号和邮箱只能提供一个。',
)
/** A token alone must not set a first password, since that password would prove ownership (sign-in-8). */
export const proofOfFirst = fieldError(
  'verifiable_code',
  'proof_required',
  'Give a code that was sent to your phone or e-mail (verifiable_code), or sign in again first.',
  '请提供发送至已绑定手机号或邮箱的验证码（verifiable_code），或先重新登录。',
)
const wrong = (field: string) => fieldError(field, 'wrong_password', 'The password is wrong.', '密码错误。')
export const wrongOldPassword = wrong('old_password')
export const wrongPassword = wrong('password')

const UnlinkAccounts = Type.Optional(
  Type.Boolean({ description: 'Also ends the links of accounts outside that sign in here' }),
)

/** A new password, with the old one if there is one. */
export const PasswordChange = Shared('PasswordChange', {
  old_password: Type.Optional(RawText(128)),
  password: NewPassword,
  password_confirmation: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  unlink_accounts: UnlinkAccounts,
})
export type PasswordChange = Static<typeof PasswordChange>

/** A new password, with a code instead of the old one. */
export const PasswordReset = Shared('PasswordReset', {
  verifiable_type: OneOf(['mail', 'sms'] as const),
  verifiable_code: Code,
  ...CodeTarget.properties,
  password: NewPassword,
  unlink_accounts: UnlinkAccounts,
})
export type PasswordReset = Static<typeof PasswordReset>
