import { fieldError } from '#platform/errors.ts'
import { factorOff, wrongFactor } from '../second-factor/errors.ts'

/** A token alone neither deletes an account nor takes its data along. */
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
/** How a proof is refused, besides a wrong password. */
export const PROOF_ERRORS = [proofMissing, wrongProof, wrongFactor, factorOff]
