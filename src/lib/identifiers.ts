import { isPhone, normalizePhone } from './phones.ts'
import { displayLength } from './text.ts'

const NAME = /^[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*$/u
const NAME_UNITS_MAX = 48
const PLAIN = /^\w+$/
// The blank Braille pattern and a mark without a base are invisible, although they are not format characters.
const UNSEEN = /^\p{M}|[\s\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** True when a text is a valid user name (conventions-32) without invisible characters. */
export function isUserName(name: string): boolean {
  if (name.length > NAME_UNITS_MAX || !NAME.test(name)) return false
  // Joiners and variation selectors are part of many emoji. Elsewhere they would make names that look equal.
  if (!PLAIN.test(name) && UNSEEN.test(hideEmoji(name))) return false
  const length = displayLength(name)
  return length >= 2 && length <= 12
}

// Built on first use, because the expression takes 40 ms to compile.
const hideEmoji = (name: string) => name.replace(/\p{RGI_Emoji}/gv, '\u263a')

const EMAIL_MAX = 128
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** True when a text looks like an e-mail address that is deliverable on the Internet. */
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

/** The normalized, unique form of an e-mail address. */
export function normalizeEmail(text: string): string {
  return text.toLowerCase()
}

/** True when an entry matches the address. An entry is an address, or a domain including its subdomains. */
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
 * The kind of a login, tested in the order e-mail, phone, name, id, with its normalized value except for
 * names. Other text counts as a name, because older rules allowed more names.
 */
export function loginKind(login: string): Login {
  const text = login.trim()
  if (isEmail(text)) return { kind: 'email', value: normalizeEmail(text) }
  if (isPhone(text)) return { kind: 'phone', value: normalizePhone(text) }
  if (isUserName(text)) return { kind: 'name', value: text }
  const id = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) && id > 0 ? { kind: 'id', value: id } : { kind: 'name', value: text }
}
