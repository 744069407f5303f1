import { mayDoMore } from '#modules/abilities/index.ts'
import { apiError, type DeclaredError, forbidden } from '#platform/errors.ts'
import { emailTaken, NAME_ERRORS, phoneTaken } from '../errors.ts'

export const lastFounder = apiError(
  422,
  'last_founder',
  'This is the last founder: make another one first.',
  '这是最后一位创始人，请先指定其他创始人。',
)
export const notOneself = apiError(422, 'not_oneself', 'You cannot disable yourself.', '不能禁用自己。')

/** How creating an account is refused. */
export const ACCOUNT_ERRORS: readonly DeclaredError[] = [
  forbidden,
  mayDoMore,
  ...NAME_ERRORS,
  emailTaken,
  phoneTaken,
]
