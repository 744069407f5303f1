import { apiError, fieldError } from '#platform/errors.ts'

export const accountErased = apiError(
  422,
  'account_erased',
  'This account was deleted by its owner: nothing of it can be changed any more.',
  '该账号已由本人注销，无法再修改。',
)

/** A token alone deletes no account. */
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
