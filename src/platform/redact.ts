const secretNames = new Set([
  ...['token', 'access_token', 'refresh_token', 'secret', 'signature', 'authorization'],
  ...['password', 'old_password', 'new_password', 'password_confirmation', 'passwd'],
  ...['code', 'verifiable_code', 'phone', 'phones', 'mobile', 'email', 'mail', 'login', 'account'],
])
const mask = '[redacted]'

/** The URL without the values of query parameters that are secret or personal; the path is kept. */
export function redactUrl(url: string): string {
  const query = /[?#]|%3f|%23/i.exec(url)
  if (!query) return url
  const start = query.index + query[0].length
  return url.slice(0, start) + url.slice(start).split('&').map(redactPair).join('&')
}

/** Looks at every name in the decoded pair: an encoded `=` or `&`, or a URL as the value, may hide one. */
function redactPair(pair: string): string {
  // split instead of matched: a long URL must not cost quadratic time
  const sides = decodeFully(pair).split('=')
  const names = sides.slice(0, -1).map(lastPart)
  if (!names.some(isSecretName)) return pair
  const name = pair.slice(0, Math.max(pair.indexOf('='), 0))
  return name === '' || /[=&]/.test(decodeFully(name)) ? mask : `${name}=${mask}`
}

function lastPart(text: string): string {
  return text.split(/[&?#;]/).at(-1) ?? ''
}

/** `user[password]`, `password[]` and ` TOKEN` are names of secrets too. */
function isSecretName(name: string): boolean {
  return name
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .some((word) => secretNames.has(word))
}

/** Decodes again what was encoded more than once, and what is not valid UTF-8. */
function decodeFully(text: string): string {
  let decoded = text.replaceAll('+', ' ')
  for (let round = 0; round < 3 && decoded.includes('%'); round++) decoded = decode(decoded)
  return decoded
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

/**
 * Addresses in which there is nothing to hide, which almost all are: words, ids without a leading zero, and parameters of
 * lists. What cannot be told at one look is taken apart. No part can be read in two ways, so that a look stays one.
 */
const PLAIN = (() => {
  const pair = '(?:limit|offset|after|index|type|order|direction|page|hot|id)=[\\w.-]*'
  return new RegExp(`^(?:/(?:[a-z_.-]*|v2|[1-9]\\d{0,9}))*(?:\\?(?:${pair}(?:&${pair})*)?)?$`, 'i')
})()

/** The address of a request as it may be written down: neither secrets in the query nor persons in the path. */
export const redactAddress = (url: string): string => (PLAIN.test(url) ? url : redactUrl(redactPath(url)))

/** The path, or URL, with segments masked that look like a phone number or an e-mail address. */
export function redactPath(path: string): string {
  const end = path.search(/[?#]/)
  const [plain, rest] = end < 0 ? [path, ''] : [path.slice(0, end), path.slice(end)]
  return plain.split('/').map(redactSegment).join('/') + rest
}

function redactSegment(segment: string): string {
  // the shortest of both kinds; almost every segment of a real path ends here
  if (segment.length < 5 || /^[a-z_.-]+$/i.test(segment)) return segment
  const text = decodeFully(segment).trim()
  // a leading plus decodes to a space
  const plain = segment.startsWith('+') ? `+${text}` : text
  if (/[^\s@]@[^\s@]/.test(text)) return '[email]'
  return isPhone(plain) ? '[phone]' : segment
}

/** A bare run of digits is an id unless it is a mainland mobile or has an international prefix. */
function isPhone(text: string): boolean {
  if (!/^[+(]?\d[\d\s().-]*$/.test(text)) return false
  const digits = text.replace(/\D/g, '')
  if (/^(0?86)?1[3-9]\d{9}$/.test(digits)) return true
  if (digits.length < 7 || digits.length > 17) return false
  if (text.startsWith('+') || digits.startsWith('00')) return true
  return /[\s()-]/.test(text) && !/^\d{4}-\d{2}-\d{2}/.test(text)
}

/** Free text, such as an error message, with its e-mail addresses masked. */
export function redactText(text: string): string {
  if (!text.includes('@')) return text
  return text.replace(/[\w.+%-]{1,64}@[\w-]+(\.[\w-]+)+/g, '[email]')
}
