import { apiError, fieldError } from '#platform/errors.ts'

export const noCertification = apiError(
  404,
  'no_certification',
  'There is no such certification.',
  '认证信息不存在。',
)
export const certificationExists = apiError(
  422,
  'certification_exists',
  'There is a certification of this person already.',
  '该用户已提交过认证申请。',
)
export const certificationPassed = apiError(
  422,
  'certification_passed',
  'The certification was accepted and cannot be changed.',
  '已审核通过，无法修改。',
)
export const certificationDecided = apiError(
  422,
  'certification_decided',
  'The certification was decided so already.',
  '该认证已被处理。',
)
export const certificationChanged = apiError(
  422,
  'certification_changed',
  'The certification was changed meanwhile. Look at it again.',
  '认证信息已被修改，请重新查看。',
)
export const unknownPerson = fieldError('user_id', 'no_such_user', 'There is no such person.', '用户不存在。')
