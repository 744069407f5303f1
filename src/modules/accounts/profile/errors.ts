import { fieldError } from '#platform/errors.ts'

/** There is nothing to take away. */
export const notBound = {
  email: fieldError('email', 'not_bound', 'Your account has no e-mail address.', '账号未绑定邮箱。'),
  phone: fieldError('phone', 'not_bound', 'Your account has no phone number.', '账号未绑定手机号。'),
}
