import { apiError, fieldError } from '#platform/errors.ts'

export const factorRequired = fieldError(
  'second_factor',
  'second_factor_required',
  'Send the code of your authenticator app, or a recovery code, as second_factor.',
  '请在 second_factor 中提供身份验证器的动态码或恢复码。',
)
export const wrongFactor = fieldError(
  'second_factor',
  'wrong_second_factor',
  'This code is wrong, or was used already.',
  '动态码或恢复码错误，或已被使用。',
)
/** How the second factor of a sign-in is refused. */
export const FACTOR_ERRORS = [factorRequired, wrongFactor]

export const factorOn = apiError(
  422,
  'second_factor_on',
  'Your account has a second factor already. Take it off first.',
  '账号已开启两步验证，请先关闭。',
)
export const factorOff = apiError(
  422,
  'second_factor_off',
  'Your account has no second factor.',
  '账号未开启两步验证。',
)
