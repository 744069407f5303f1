import { apiError } from '#platform/errors.ts'
import { RawText, Shared, type Static, Text, Type } from '#platform/http'
import { Code } from '../codes/schema.ts'
import { accountWaiting } from '../requests/errors.ts'
import { wrongCode } from '../schema.ts'
import { FACTOR_ERRORS, FactorCode } from '../second-factor/schema.ts'

/** The same error for an unknown account and a wrong password, to prevent account enumeration (sign-in-4). */
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
/** Errors of proving an identity without signing in. */
export const OUTSIDE_ERRORS = [wrongSignIn, wrongCode, accountDisabled, accountWaiting, ...FACTOR_ERRORS]

export const SignIn = Shared('SignIn', {
  login: Text(128, { description: 'E-mail address, phone number, name or id' }),
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
})
export type SignIn = Static<typeof SignIn>

/** An access token with lifetimes in minutes (sign-in-5). */
export const TokenView = Shared('Token', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'minutes' }),
  refresh_ttl: Type.Integer({ description: 'minutes in which the token can be exchanged' }),
})

/** The token, if neither header nor query holds it. */
export const TokenInput = Shared('TokenInput', { token: Type.Optional(Text(512)) })

/** Reply to a sign-out: a plain text (sign-in-6). */
export const SignedOut = Shared('SignedOut', { message: Type.String() })
