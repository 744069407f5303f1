import { createRequire } from 'node:module'

type Library = typeof import('libphonenumber-js/min')

// Loaded on first use, because its tables take 60 ms and most sites see no foreign number.
let library: Library | undefined
const load = (): Library => {
  library ??= createRequire(import.meta.url)('libphonenumber-js/min') as Library
  return library
}

const MAINLAND = /^(?:(?:\+86|086|86)-?)?1[3-9][0-9]{9}$/
const INTERNATIONAL = /^\+[1-9][0-9 ().-]{5,22}$/
/** The country of numbers without a country code. */
const HOME = 'CN'

/** Parses an international number. Of mainland China only mobile numbers are valid. */
function parseForeign(text: string) {
  if (!INTERNATIONAL.test(text) || text.startsWith('+86')) return undefined
  const number = load().parsePhoneNumberFromString(text)
  return number?.isValid() ? number : undefined
}

/**
 * True when a text is a phone number: a mobile number of mainland China, with or without country code, or a
 * foreign one with `+` and country code (registration-4).
 */
export const isPhone = (text: string): boolean => MAINLAND.test(text) || parseForeign(text) !== undefined

/**
 * The normalized, unique form of a text that passes `isPhone`: the eleven digits of a mainland number, else
 * `+` with all digits.
 */
export const normalizePhone = (text: string): string =>
  MAINLAND.test(text) ? text.slice(-11) : (parseForeign(text)?.number ?? text)

/**
 * Normalizes a number in any spelling, with spaces, hyphens, brackets, full-width digits or `00` before the
 * country code.
 */
export function readPhone(text: string): string | undefined {
  const digits = text
    .normalize('NFKC')
    .replace(/[\s().\u002d\u2010-\u2015]/g, '')
    .replace(/^00(?=[1-9])/, '+')
  return isPhone(digits) ? normalizePhone(digits) : undefined
}

/** True when two capital letters name a country with phone numbers. */
export const isPhoneCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && load().isSupportedCountry(code)

/** True when a normalized number belongs to one of these countries. `*` matches all. */
export function isPhoneOf(normalized: string, countries: readonly string[]): boolean {
  if (countries.includes('*')) return true
  if (!normalized.startsWith('+')) return countries.includes(HOME)
  const number = parseForeign(normalized)
  if (!number) return false
  if (number.country !== undefined) return countries.includes(number.country)
  // Some numbers belong to a code shared by countries, such as +1 and +44. Any of these matches.
  const sharing = countries.filter(isPhoneCountry)
  return sharing.some(
    (country) => load().getCountryCallingCode(country as never) === number.countryCallingCode,
  )
}

/** The country of a normalized number, or the calling code that it shares with others, such as `+1`. */
export function countryOfPhone(normalized: string): string {
  if (!normalized.startsWith('+')) return HOME
  const number = parseForeign(normalized)
  return number?.country ?? `+${number?.countryCallingCode ?? ''}`
}
