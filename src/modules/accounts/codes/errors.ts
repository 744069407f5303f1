import { apiError, fieldError } from '#platform/errors.ts'

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
