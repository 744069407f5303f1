import { apiError, fieldError } from '#platform/errors.ts'

export const wrongPaymentPassword = apiError(403, 'wrong_password', 'The password is wrong.', '密码错误。')
export const paymentNeedsPassword = apiError(
  403,
  'password_not_set',
  'Set a password for your account before you pay.',
  '支付前请先为账号设置密码。',
)
/** How `checkPaymentPassword` refuses. */
export const PAYMENT_PASSWORD_ERRORS = [wrongPaymentPassword, paymentNeedsPassword]

export const bothAccounts = apiError(
  400,
  'ambiguous_account',
  'Give either a phone number or an e-mail address, not both.',
  '手机号和邮箱只能提供一个。',
)
const wrong = (field: string) => fieldError(field, 'wrong_password', 'The password is wrong.', '密码错误。')
export const wrongOldPassword = wrong('old_password')
export const wrongPassword = wrong('password')
