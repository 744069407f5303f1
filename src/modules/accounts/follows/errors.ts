import { apiError } from '#platform/errors.ts'

export const followsOneself = apiError(
  422,
  'follows_oneself',
  'You cannot follow yourself.',
  '不能关注自己。',
)
export const alreadyFollowed = apiError(
  422,
  'already_followed',
  'You follow this person already.',
  '你已经关注了该用户。',
)
