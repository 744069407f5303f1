import { apiError } from '#platform/errors.ts'
import { wrongCode } from '../errors.ts'
import { accountWaiting } from '../requests/errors.ts'
import { FACTOR_ERRORS } from '../second-factor/errors.ts'

/** One text for an unknown account and a wrong password: it tells nobody which accounts exist (sign-in-4). */
export const wrongSignIn = apiError(
  422,
  'wrong_sign_in',
  'The account or the password is wrong.',
  '账号或密码错误。',
)
export const accountDisabled = apiError(
  403,
  'account_disabled',
  'This account is disabled.',
  '该账号已被禁用。',
)
/** How somebody is refused who proves who they are without signing in. */
export const OUTSIDE_ERRORS = [wrongSignIn, wrongCode, accountDisabled, accountWaiting, ...FACTOR_ERRORS]
