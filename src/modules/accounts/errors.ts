import { apiError, fieldError } from '#platform/errors.ts'

export const wrongCode = apiError(
  422,
  'wrong_code',
  'This verification code is wrong or no longer good.',
  '验证码错误或已失效。',
)
export const nameTaken = fieldError('name', 'name_taken', 'This name is taken.', '该用户名已被占用。')
export const nameReserved = fieldError(
  'name',
  'name_reserved',
  'This name is reserved.',
  '该用户名为系统保留。',
)
export const emailTaken = fieldError(
  'email',
  'email_taken',
  'This e-mail address is in use.',
  '该邮箱已被使用。',
)
export const phoneTaken = fieldError(
  'phone',
  'phone_taken',
  'This phone number is in use.',
  '该手机号已被使用。',
)

/** The unique keys of users, as errors on the field. */
export const USER_CONSTRAINTS = {
  users_name_taken: nameTaken,
  users_email_taken: emailTaken,
  users_phone_taken: phoneTaken,
}

/** How a name is refused that is well formed. */
export const NAME_ERRORS = [nameTaken, nameReserved]
