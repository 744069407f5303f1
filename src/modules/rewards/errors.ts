import { PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { switchedOff } from '#modules/ledger/index.ts'
import { apiError, blocked } from '#platform/errors.ts'

export const ownerGone = apiError(
  422,
  'owner_gone',
  'Who published this is not here any more.',
  '发布者已不存在，不能打赏。',
)
export const toOneself = apiError(422, 'reward_oneself', 'You cannot reward yourself.', '不能打赏自己。')

/** What giving a reward may answer besides that the giver has not enough. */
export const REWARD_ERRORS = [...PAYMENT_PASSWORD_ERRORS, switchedOff, toOneself, blocked, ownerGone]
