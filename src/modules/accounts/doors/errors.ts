import { apiError, fieldError } from '#platform/errors.ts'
import { INVITATION_ERRORS } from '../invitations/errors.ts'

export const registrationClosed = apiError(
  403,
  'registration_closed',
  'This site takes no new members at the moment.',
  '本站暂未开放注册。',
)
export const outsideOnly = apiError(
  403,
  'registration_outside_only',
  'Register with an account of one of the providers of this site.',
  '本站仅支持通过第三方账号注册。',
)
const methodOff = {
  email: fieldError(
    'email',
    'email_registration_off',
    'Nobody registers with an e-mail address here. Use a phone number.',
    '本站不支持邮箱注册，请使用手机号。',
  ),
  phone: fieldError(
    'phone',
    'phone_registration_off',
    'Nobody registers with a phone number here. Use an e-mail address.',
    '本站不支持手机号注册，请使用邮箱。',
  ),
}
const contactRefused = {
  email: fieldError(
    'email',
    'email_not_accepted',
    'Addresses of this kind are not accepted here.',
    '本站不接受该邮箱地址。',
  ),
  phone: fieldError(
    'phone',
    'phone_country_not_accepted',
    'Phone numbers of this country are not accepted here.',
    '本站不支持该国家或地区的手机号。',
  ),
}

export { contactRefused, methodOff }

/** How a phone or e-mail is refused that somebody would have from now on. */
export const CONTACT_ERRORS = [contactRefused.email, contactRefused.phone]

/** How registration is refused by its settings. */
export const DOOR_ERRORS = [
  registrationClosed,
  outsideOnly,
  methodOff.email,
  methodOff.phone,
  ...INVITATION_ERRORS,
]
