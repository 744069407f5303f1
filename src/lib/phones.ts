import { createRequire } from 'node:module'

type Library = typeof import('libphonenumber-js/min')

// Its tables take 60 ms to load, which no start should wait for: most sites never see a number from elsewhere.
let library: Library | undefined
const load = (): Library => {
  library ??= createRequire(import.meta.url)('libphonenumber-js/min') as Library
  return library
}

const MAINLAND = /^(?:(?:\+86|086|86)-?)?1[3-9][0-9]{9}$/
const INTERNATIONAL = /^\+[1-9][0-9 ().-]{5,22}$/
/** The country of numbers without a country code. */
const HOME = 'CN'

/** A number of another country in international form; of mainland China only mobile numbers count. */
function parseForeign(text: string) {
  if (!INTERNATIONAL.test(text) || text.startsWith('+86')) return undefined
  const number = load().parsePhoneNumberFromString(text)
  return number?.isValid() ? number : undefined
}

/**
 * Whether a text is a phone number: a mobile number of mainland China, with or without its country code, or one of any
 * other country with `+` and its code (registration-4).
 */
export const isPhone = (text: string): boolean => MAINLAND.test(text) || parseForeign(text) !== undefined

/**
 * The form of a text that `isPhone` which is stored and has to be unique: the eleven digits of a number of mainland China,
 * and `+` with all digits for every other country.
 */
export const normalizePhone = (text: string): string =>
  MAINLAND.test(text) ? text.slice(-11) : (parseForeign(text)?.number ?? text)

/** Whether two capital letters name a country that has phone numbers. */
export const isPhoneCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && load().isSupportedCountry(code)

/** Whether a normalized number is of one of these countries; `*` stands for all. */
export function isPhoneOf(normalized: string, countries: readonly string[]): boolean {
  if (countries.includes('*')) return true
  if (!normalized.startsWith('+')) return countries.includes(HOME)
  const number = parseForeign(normalized)
  if (!number) return false
  if (number.country !== undefined) return countries.includes(number.country)
  // A few numbers belong to a code that countries share, such as +1 and +44: any of these will do.
  const sharing = countries.filter(isPhoneCountry)
  return sharing.some(
    (country) => load().getCountryCallingCode(country as never) === number.countryCallingCode,
  )
}
