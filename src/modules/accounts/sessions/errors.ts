import { apiError } from '#platform/errors.ts'

export const noSuchSession = apiError(404, 'no_such_session', 'You have no such sign-in.', '没有该登录记录。')
