import { apiError } from '#platform/errors.ts'

export const toOneself = apiError(422, 'reward_oneself', 'You cannot reward yourself.', '不能打赏自己。')
