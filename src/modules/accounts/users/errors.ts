import { apiError } from '#platform/errors.ts'

export const noSuchUser = apiError(404, 'no_such_user', 'There is no such person.', '该用户不存在。')
