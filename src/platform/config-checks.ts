import ipaddr from 'ipaddr.js'
import { closest } from '#lib/closest.ts'

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

/** Whether the server can believe headers by this: an address, a network, or the name of some networks. */
function isProxyAddress(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  if (NETWORKS.includes(text)) return true
  if (more.length > 0 || !(ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)))
    return false
  if (length === undefined) return true
  if (ipaddr.IPv4.isValidFourPartDecimal(length))
    return ipaddr.IPv4.parse(length).prefixLengthFromSubnetMask() !== null
  return /^\d{1,3}$/.test(length) && Number(length) <= (ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128)
}

/** What is wrong with `TRUST_PROXY`, as sentences. */
export function proxyFaults(given: string | undefined): string[] {
  const parts = given?.split(',').map((part) => part.trim()) ?? []
  return parts
    .filter((part) => !isProxyAddress(part))
    .map(
      (part) =>
        `TRUST_PROXY has "${part}", which is neither an address nor a network: name the reverse proxies, such as 127.0.0.1 or 10.0.0.0/8`,
    )
}

/** What is wrong with `CORS_ORIGINS`, as sentences: browsers send an origin exactly so, or the comparison fails unseen. */
export function originFaults(origins: readonly string[]): string[] {
  return origins.flatMap((origin) => {
    if (origin === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@]+$/.test(origin)) return []
    const bare = /^[\w.-]+(:\d+)?$/.test(origin)
    const hint = bare ? `write https://${origin}` : 'write it as https://example.org, without a path'
    return [`CORS_ORIGINS has "${origin}", which is no origin: ${hint}`]
  })
}

/** What is wrong with an address, which may hold a password and is not repeated. */
export function urlFault(name: string, given: string, protocols: readonly string[]): string {
  return protocols.some((protocol) => given.startsWith(`${protocol}//`))
    ? `${name} cannot be read as a URL: in a name or password write # as %23, / as %2F, ? as %3F, @ as %40, % as %25`
    : `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
}

/**
 * Variables that nobody reads and whose names are near one that is read and not set. Those that begin with `LINKED_` are
 * nobody else's: near or not, they are told.
 */
export function mistakenNames(env: Record<string, string | undefined>, known: readonly string[]): string[] {
  const unset = known.filter((name) => env[name] === undefined)
  return Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) ? undefined : closest(name, unset)
    if (meant !== undefined) return [`${name} is not a setting: did you mean ${meant}?`]
    return name.startsWith('LINKED_') && !known.includes(name)
      ? [
          `${name} is not a setting: LINKED_PROVIDERS names the providers, and docs/running.md what each takes`,
        ]
      : []
  })
}
