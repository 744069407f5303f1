import { isEmailAmong } from '#lib/identifiers.ts'
import { isPhoneOf } from '#lib/phones.ts'
import { readSettings, type Settings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Device } from '#platform/http/device.ts'
import type { Account } from '../codes/schema.ts'
import { invitationNeeded } from '../invitations/errors.ts'
import { checkInvitation } from '../invitations/service.ts'
import { contactRefused, methodOff, outsideOnly, registrationClosed } from './errors.ts'

/** By what somebody registers: a code to an e-mail address or phone, or an account of a provider outside. */
export type Door = 'email' | 'phone' | 'outside'

/** Whether the setting of methods leaves this way open; each has two names (registration-2). */
const OPEN_FOR: Record<Settings['register:method'], readonly Door[]> = {
  all: ['email', 'phone'],
  'mail-only': ['email'],
  mail: ['email'],
  'mobile-only': ['phone'],
  mobile: ['phone'],
}

/** How somebody new comes: by what, with which invitation, and what they say of themselves. */
export type Arrival = {
  door: Door
  invitation?: string | undefined
  introduction?: string | undefined
  device: Device
}

/** Refuses a way to register that the settings do not leave open (registration-1, registration-2, registration-5). */
export async function checkDoor(ctx: Context, { door, invitation }: Omit<Arrival, 'device'>): Promise<void> {
  const settings = await readSettings(ctx)
  const type = settings['register:type']
  if (type === 'closed') throw registrationClosed()
  if (door !== 'outside') {
    if (type === 'thirdPart') throw outsideOnly()
    if (!OPEN_FOR[settings['register:method']].includes(door)) throw methodOff[door]()
  }
  if (invitation !== undefined) await checkInvitation(ctx, invitation)
  else if (type === 'invited') throw invitationNeeded()
}

/** Refuses an e-mail address or phone that nobody may have from now on, newcomer or not (registration-3, registration-4). */
export async function checkContact(
  ctx: Context,
  { field, key }: Pick<Account, 'field' | 'key'>,
): Promise<void> {
  const settings = await readSettings(ctx)
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
