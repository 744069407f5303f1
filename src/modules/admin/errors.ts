import { apiError } from '#platform/errors.ts'

/** Nobody hands out, or manages somebody who holds, what they may not do themselves. */
export const mayDoMore = apiError(
  403,
  'may_do_more',
  'This concerns abilities that you do not hold yourself.',
  '该操作涉及你未拥有的权限。',
)
