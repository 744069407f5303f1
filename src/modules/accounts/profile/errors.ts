import { fieldError } from '#platform/errors.ts'

/** There is nothing to take away. */
export const notBound = {
  email: fieldError('email', 'not_bound', 'Your account has no e-mail address.', '账号未绑定邮箱。'),
  phone: fieldError('phone', 'not_bound', 'Your account has no phone number.', '账号未绑定手机号。'),
}

/** A token alone takes no account over (sign-in-8). */
export const proofRequired = fieldError(
  'password',
  'proof_required',
  'Give your password, or a code that was sent to the phone or e-mail you have now (old_verifiable_code).',
  '请提供密码，或发送至已绑定手机号或邮箱的验证码（old_verifiable_code）。',
)
export const wrongOldCode = fieldError(
  'old_verifiable_code',
  'wrong_code',
  'The code is wrong or no longer valid.',
  '验证码错误或已失效。',
)
