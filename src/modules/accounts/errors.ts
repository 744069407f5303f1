import { apiError, invalidField } from '#platform/errors.ts'

export const wrongCode = apiError(
  422,
  'wrong_code',
  'This verification code is wrong or no longer good.',
  '验证码错误或已失效。',
)
export const nameTaken = () =>
  invalidField('name', { en: 'This name is taken.', zh: '该用户名已被占用。' }, 'name_taken')
export const emailTaken = () =>
  invalidField('email', { en: 'This e-mail address is in use.', zh: '该邮箱已被使用。' }, 'email_taken')
export const phoneTaken = () =>
  invalidField('phone', { en: 'This phone number is in use.', zh: '该手机号已被使用。' }, 'phone_taken')

/** The unique keys of users, as errors on the field. */
export const USER_CONSTRAINTS = {
  users_name_taken: nameTaken,
  users_email_taken: emailTaken,
  users_phone_taken: phoneTaken,
}
