import { apiError } from '#platform/errors.ts'

export const accountErased = apiError(
  422,
  'account_erased',
  'This account was deleted by its owner: nothing of it can be changed any more.',
  '该账号已由本人注销，无法再修改。',
)
