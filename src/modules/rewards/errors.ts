import { apiError } from '#platform/errors.ts'

export const ownerGone = apiError(
  422,
  'owner_gone',
  'Who published this is not here any more.',
  '发布者已不存在，不能打赏。',
)
export const toOneself = apiError(422, 'reward_oneself', 'You cannot reward yourself.', '不能打赏自己。')
