import { compile } from '@fastify/proxy-addr'
import { suggestWord } from '#lib/closest.ts'
import type { Environment } from './secret-files.ts'

function isProxyAddress(text: string): boolean {
  try {
    compile(text)
    return true
  } catch {
    return false
  }
}

/** Networks of all addresses, which proxy-addr calls invalid. */
const WHOLE = /^[\d.]+\/(0|0\.0\.0\.0)$|^[0-9a-f:.]*:[0-9a-f:.]*\/0$/i

export function proxyFaults(given: string | undefined): string[] {
  const parts = given?.split(',').map((part) => part.trim()) ?? []
  return parts
    .filter((part) => WHOLE.test(part) || !isProxyAddress(part))
    .map((part) =>
      WHOLE.test(part)
        ? `TRUST_PROXY has "${part}", which trusts every address, so that each client could choose its own: list the reverse proxies, such as 127.0.0.1 or 10.0.0.0/8`
        : `TRUST_PROXY has "${part}", which is neither an IP address nor a network: list the reverse proxies, such as 127.0.0.1 or 10.0.0.0/8`,
    )
}

/** Explains parts of PUBLIC_URL that no link of the site could keep. Does not repeat a password. */
export function publicUrlFaults(given: string | undefined): string[] {
  const parsed = given === undefined ? null : URL.parse(given)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return []
  const bare = `write it as ${parsed.origin}`
  const { username, password, pathname, search, hash } = parsed
  const parts: [string, boolean][] = [
    ['a user or password', username !== '' || password !== ''],
    ['a path, but the site needs a host name of its own', !/^\/*$/.test(pathname)],
    ['a query', search !== '' || given?.includes('?') === true],
    ['a fragment', hash !== '' || given?.includes('#') === true],
  ]
  return parts.flatMap(([what, isThere]) => (isThere ? [`PUBLIC_URL has ${what}: ${bare}`] : []))
}

/** Rejects spellings of an origin that no browser sends, because they would never match an Origin header. */
export function originFaults(origins: readonly string[]): string[] {
  return origins.flatMap((origin) => {
    if (origin === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@]+$/.test(origin)) return []
    const bare = /^[\w.-]+(:\d+)?$/.test(origin)
    const hint = bare ? `write https://${origin}` : 'write it as https://example.org, without a path'
    return [`CORS_ORIGINS has "${origin}", which is not an origin: ${hint}`]
  })
}

/** Explains an invalid URL without repeating the URL, because it may contain a password. */
export function urlFault(name: string, given: string, protocols: readonly string[]): string {
  return protocols.some((protocol) => given.startsWith(`${protocol}//`))
    ? `${name} cannot be read as a URL: in a name or password write # as %23, / as %2F, ? as %3F, @ as %40, % as %25`
    : `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
}

export const severalHostsFault = (name: string, given: string): string | undefined =>
  /^postgres(ql)?:\/\/([^/?]*@)?[^/?@]*,[^/?@]*([/?]|$)/.test(given)
    ? `${name} names several hosts: name one proxy that leads to the primary, such as HAProxy (docs/scaling.md#failover, deploy/patroni)`
    : undefined

const STALE_REPLIES =
  'set GUEST_CACHE_MS for the maximum age of responses to guests; other responses are always current'

const RETIRED = new Map([
  ['KEPT_PAGES_MB', 'set FRAGMENTS_MB for the memory of cached responses'],
  ['KEPT_PAGES_COUNTS_MS', STALE_REPLIES],
  ['KEPT_PAGES_COUNTS_AFTER', STALE_REPLIES],
  ['KEPT_PAGES_TIMED_MS', STALE_REPLIES],
  ['KEPT_PAGES_VERIFY', 'it has no replacement'],
  [
    'DATABASE_PREPARED_STATEMENTS',
    'statements are always prepared, which requires PgBouncer 1.21 or later with max_prepared_statements (docs/scaling.md#pgbouncer)',
  ],
  ['DATABASE_REPLICA_MAX_LAG_MS', 'replicas serve guests while they are less than a second behind'],
])

export const retiredFaults = (env: Environment): string[] =>
  Object.keys(env).flatMap((name) => {
    const advice = env[name]?.trim() ? RETIRED.get(name) : undefined
    return advice === undefined ? [] : [`${name} no longer exists: remove it; ${advice}`]
  })

/**
 * Reports likely misspellings of settings, and `_FILE` variables of settings that are no secrets. No other
 * program uses the prefix `LINKED_`, so every unknown variable with that prefix is reported.
 */
export function findMisspelledNames(env: Environment, known: readonly string[]): string[] {
  const unset = known.filter((name) => env[name] === undefined)
  return Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) || RETIRED.has(name) ? undefined : suggestWord(name, unset)
    const base = name.endsWith('_FILE') && !known.includes(name) ? name.slice(0, -'_FILE'.length) : ''
    if (known.includes(base))
      return [`${name} is not a setting: only secrets come from files, so set ${base}`]
    if (meant !== undefined) return [`${name} is not a setting: did you mean ${meant}?`]
    return name.startsWith('LINKED_') && !known.includes(name)
      ? [
          `${name} is not a setting: LINKED_PROVIDERS names the providers, and docs/running.md lists the settings of each`,
        ]
      : []
  })
}
