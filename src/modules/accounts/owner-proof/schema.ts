import { apiError, fieldError } from '#platform/errors.ts'
import { RawText, Shared, type Static, Text, Type } from '#platform/http'
import { Code } from '../codes/schema.ts'
import { FactorCode, factorOff, wrongFactor } from '../second-factor/schema.ts'

/** A token alone must not delete or export an account. */
export const proofMissing = fieldError(
  'password',
  'proof_required',
  'Give your password, or a code that was sent to your phone or e-mail (verifiable_code).',
  '请提供密码，或发送至已绑定手机号或邮箱的验证码（verifiable_code）。',
)
export const wrongProof = fieldError(
  'verifiable_code',
  'wrong_code',
  'The code is wrong or no longer valid.',
  '验证码错误或已失效。',
)
/** An account without password, phone and e-mail requires a recent sign-in. */
export const signInAgain = apiError(
  403,
  'sign_in_again',
  'Sign in again and repeat this within 15 minutes.',
  '请重新登录，并在 15 分钟内再次操作。',
)
/** Errors of a proof of ownership, except a wrong password. */
export const OWNER_PROOF_ERRORS = [proofMissing, wrongProof, wrongFactor, factorOff, signInAgain]

/**
 * Proof of ownership: the password, a code sent to the account's phone or e-mail, or the second factor. An
 * account without these gives its name, as a safeguard against irreversible mistakes.
 */
export const OwnerProof = Shared('OwnerProof', {
  password: Type.Optional(RawText(128)),
  verifiable_code: Type.Optional(Code),
  second_factor: Type.Optional(FactorCode),
  name: Type.Optional(Text(100)),
})
export type OwnerProof = Static<typeof OwnerProof>
