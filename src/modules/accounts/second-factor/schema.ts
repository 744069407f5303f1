import { apiError, fieldError } from '#platform/errors.ts'
import { Shared, type Static, Text, Type } from '#platform/http'

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
/** Errors of the second factor at sign-in. */
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

/** A code of an authenticator app, or a recovery code. */
export const FactorCode = Text(32, { description: 'six digits of an authenticator app, or a recovery code' })

/** State of the second factor, with the number of unused recovery codes. */
export const SecondFactor = Shared('SecondFactor', {
  enabled: Type.Boolean(),
  recovery_codes: Type.Integer(),
})

/** The secret for an authenticator app. Shown once. */
export const FactorSecret = Shared('SecondFactorSecret', {
  secret: Type.String({ description: 'to be typed' }),
  uri: Type.String({ description: 'otpauth://, to be shown as a QR code' }),
})

export const FactorProof = Shared('SecondFactorProof', { second_factor: FactorCode })
export type FactorProof = Static<typeof FactorProof>

/** Single-use recovery codes. Shown once. */
export const RecoveryCodes = Shared('RecoveryCodes', { recovery_codes: Type.Array(Type.String()) })
