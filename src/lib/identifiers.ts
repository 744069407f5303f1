import { createRequire } from 'node:module'
import { displayLength } from './text.ts'

type Library = typeof import('libphonenumber-js/min')

// Loads `libphonenumber-js` on first use, because its tables take 60 ms and most sites see no foreign number.
let library: Library | undefined
const load = (): Library => {
  library ??= createRequire(import.meta.url)('libphonenumber-js/min') as Library
  return library
}

const MAINLAND = /^(?:(?:\+86|086|86)-?)?1[3-9][0-9]{9}$/
const INTERNATIONAL = /^\+[1-9][0-9 ().-]{5,22}$/
const HOME = 'CN'

/** Rejects `+86`, because `MAINLAND` already matches every accepted Chinese number. */
function parseForeign(text: string) {
  if (!INTERNATIONAL.test(text) || text.startsWith('+86')) return undefined
  const number = load().parsePhoneNumberFromString(text)
  return number?.isValid() ? number : undefined
}

/**
 * Accepts a mainland Chinese mobile number with or without country code, or a foreign number with `+` and
 * country code (registration-4).
 */
export const isPhone = (text: string): boolean => MAINLAND.test(text) || parseForeign(text) !== undefined

export const normalizePhone = (text: string): string =>
  MAINLAND.test(text) ? text.slice(-11) : (parseForeign(text)?.number ?? text)

/** Reads a phone number with spaces, hyphens, brackets or full-width digits, or with `00` instead of `+`. */
export function readPhone(text: string): string | undefined {
  const digits = text
    .normalize('NFKC')
    .replace(/[\s().\u002d\u2010-\u2015]/g, '')
    .replace(/^00(?=[1-9])/, '+')
  return isPhone(digits) ? normalizePhone(digits) : undefined
}

export const isPhoneCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && load().isSupportedCountry(code)

/** `*` in `countries` matches every number. */
export function isPhoneOf(normalized: string, countries: readonly string[]): boolean {
  if (countries.includes('*')) return true
  if (!normalized.startsWith('+')) return countries.includes(HOME)
  const number = parseForeign(normalized)
  if (!number) return false
  if (number.country !== undefined) return countries.includes(number.country)
  // Several countries share a calling code such as +1, so a match with any of these countries suffices.
  const sharing = countries.filter(isPhoneCountry)
  return sharing.some(
    (country) => load().getCountryCallingCode(country as never) === number.countryCallingCode,
  )
}

export function countryOfPhone(normalized: string): string {
  if (!normalized.startsWith('+')) return HOME
  const number = parseForeign(normalized)
  return number?.country ?? `+${number?.countryCallingCode ?? ''}`
}

const NAME = /^[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*$/u
const NAME_UNITS_MAX = 48
const PLAIN = /^\w+$/
// Matches invisible characters, among them the blank Braille pattern, and a combining mark at the start of a
// name.
const UNSEEN = /^\p{M}|[\s\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Checks the length and the characters of a name. Rejects invisible characters (conventions-32). */
export function isUserName(name: string): boolean {
  if (name.length > NAME_UNITS_MAX || !NAME.test(name)) return false
  // Joiners and variation selectors are valid in emoji. Elsewhere they would allow two names that look equal.
  if (!PLAIN.test(name) && UNSEEN.test(hideEmoji(name))) return false
  const length = displayLength(name)
  return length >= 2 && length <= 12
}

// Compiles the regular expression on the first call, because compiling takes 40 ms.
const hideEmoji = (name: string) => name.replace(/\p{RGI_Emoji}/gv, '\u263a')

const EMAIL_MAX = 128
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

export function isEmail(text: string): boolean {
  if (text.length > EMAIL_MAX) return false
  const at = text.lastIndexOf('@')
  if (at < 1 || at > 64) return false
  const labels = text.slice(at + 1).split('.')
  const top = labels.at(-1)!
  return (
    LOCAL_PART.test(text.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    /^[A-Za-z].*[A-Za-z0-9]$/.test(top)
  )
}

export function normalizeEmail(text: string): string {
  return text.toLowerCase()
}

/** An entry is an email address, or a domain that includes its subdomains. */
export function isEmailAmong(email: string, entries: readonly string[]): boolean {
  const address = normalizeEmail(email)
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return entries.some((given) => {
    const entry = given.toLowerCase()
    return entry.includes('@') ? entry === address : domain === entry || domain.endsWith(`.${entry}`)
  })
}

export type Login = { kind: 'email' | 'phone' | 'name'; value: string } | { kind: 'id'; value: number }

/**
 * Tests for email address, phone number, name and id, in this order. Any other text counts as a name, because
 * older versions allowed more names.
 */
export function loginKind(login: string): Login {
  const text = login.trim()
  if (isEmail(text)) return { kind: 'email', value: normalizeEmail(text) }
  if (isPhone(text)) return { kind: 'phone', value: normalizePhone(text) }
  // No name of today contains a separator, so such a text is a phone number as people write it.
  const phone = /^[+\d][\d\s().\u002d\u2010-\u2015]+$/.test(text) ? readPhone(text) : undefined
  if (phone !== undefined && /\D/.test(text.slice(1))) return { kind: 'phone', value: phone }
  if (isUserName(text)) return { kind: 'name', value: text }
  const id = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) && id > 0 ? { kind: 'id', value: id } : { kind: 'name', value: text }
}
