import { isEmailAmong, isPhoneOf } from '#lib/identifiers.ts'
import type { Context } from '#platform/context.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import type { Device } from '#platform/http'
import { checkInvitation, INVITATION_ERRORS, invitationNeeded } from '../invitations/service.ts'
import { type AccountSettings, readAccountSettings } from '../settings.ts'
import type { Account } from './schema.ts'

const registrationClosed = apiError(
  403,
  'registration_closed',
  'This site is not accepting new members at the moment.',
  '本站暂未开放注册。',
)
const outsideOnly = apiError(
  403,
  'registration_outside_only',
  'Register with an account of one of the sign-in providers of this site.',
  '本站仅支持通过第三方账号注册。',
)
const methodOff = {
  email: fieldError(
    'email',
    'email_registration_off',
    'You cannot register with an e-mail address here. Use a phone number.',
    '本站不支持邮箱注册，请使用手机号。',
  ),
  phone: fieldError(
    'phone',
    'phone_registration_off',
    'You cannot register with a phone number here. Use an e-mail address.',
    '本站不支持手机号注册，请使用邮箱。',
  ),
}
const contactRefused = {
  email: fieldError(
    'email',
    'email_not_accepted',
    'This e-mail address is not allowed here.',
    '本站不接受该邮箱地址。',
  ),
  phone: fieldError(
    'phone',
    'phone_country_not_accepted',
    'Phone numbers of this country are not accepted here.',
    '本站不支持该国家或地区的手机号。',
  ),
}

export const CONTACT_ERRORS = [contactRefused.email, contactRefused.phone]

export const REGISTRATION_RULE_ERRORS = [
  registrationClosed,
  outsideOnly,
  methodOff.email,
  methodOff.phone,
  ...INVITATION_ERRORS,
]

type RegistrationMethod = 'email' | 'phone' | 'outside'

const OPEN_FOR: Record<AccountSettings['register:method'], readonly RegistrationMethod[]> = {
  all: ['email', 'phone'],
  'mail-only': ['email'],
  mail: ['email'],
  'mobile-only': ['phone'],
  mobile: ['phone'],
}

export type RegistrationContext = {
  door: RegistrationMethod
  invitation?: string | undefined
  introduction?: string | undefined
  /** Versions of pages that the user agreed to. */
  agreed?: readonly number[] | undefined
  device: Device
}

export async function checkRegistrationMethod(
  ctx: Context,
  { door, invitation }: Omit<RegistrationContext, 'device'>,
): Promise<void> {
  const settings = await readAccountSettings(ctx)
  const type = settings['register:type']
  if (type === 'closed') throw registrationClosed()
  if (door !== 'outside') {
    if (type === 'thirdPart') throw outsideOnly()
    if (!OPEN_FOR[settings['register:method']].includes(door)) throw methodOff[door]()
  }
  if (invitation !== undefined) await checkInvitation(ctx, invitation)
  else if (type === 'invited') throw invitationNeeded()
}

export async function checkContact(
  ctx: Context,
  { field, key }: Pick<Account, 'field' | 'key'>,
): Promise<void> {
  const settings = await readAccountSettings(ctx)
  if (field === 'phone') {
    if (!isPhoneOf(key, settings['register:phone-countries'])) throw contactRefused.phone()
    return
  }
  const allowed = settings['register:email-allowed']
  if (
    isEmailAmong(key, settings['register:email-blocked']) ||
    (allowed.length > 0 && !isEmailAmong(key, allowed))
  )
    throw contactRefused.email()
}
