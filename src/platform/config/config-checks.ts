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

const SENDER = /^\s*(?:[^<>]*<\s*[^\s<>@,]+@[^\s<>@,]+\s*>|[^\s<>@,]+@[^\s<>@,]+)\s*$/

/** Rejects a sender without an address, which mail servers refuse when the first mail is sent. */
export const senderFaults = (given: string | undefined): string[] =>
  given === undefined || SENDER.test(given)
    ? []
    : [
        `MAIL_FROM must be one address, such as noreply@example.org or "Riverside <noreply@example.org>", not "${given}"`,
      ]

const SITE_NAME_MOST = 40

/** Holds the name in the environment to the rules of the setting `site:name`. */
export const siteNameFaults = (given: string | undefined): string[] =>
  given === undefined || (given.length <= SITE_NAME_MOST && !/\p{Cc}/u.test(given))
    ? []
    : [`SITE_NAME must be one line of at most ${SITE_NAME_MOST} characters`]

const CRONTAB = [
  { field: 'minute', least: 0, most: 59 },
  { field: 'hour', least: 0, most: 23 },
  { field: 'day', least: 1, most: 31 },
  { field: 'month', least: 1, most: 12 },
  { field: 'weekday', least: 0, most: 7 },
]
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Returns the values that a field of a crontab line names. Undefined when it names none, or one out of range. */
function crontabValues(text: string, least: number, most: number): number[] | undefined {
  const every = Array.from({ length: most - least + 1 }, (_, index) => least + index)
  const parts = text.split(',').map((part) => {
    const [isEvery, step = '1'] = /^\*(?:\/(\d+))?$/.exec(part) ?? []
    if (isEvery) return Number(step) > 0 ? every.filter((value) => value % Number(step) === 0) : []
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (to === undefined) return every.filter((value) => value === Number(from))
    const isRange = Number(from) < Number(to) && every.includes(Number(from)) && every.includes(Number(to))
    return isRange ? every.filter((value) => value >= Number(from) && value <= Number(to)) : []
  })
  return parts.every((part) => part.length > 0) ? parts.flat() : undefined
}

/** Rejects a schedule that the job queue cannot read, and one that names no day of any year. */
export function crontabFaults(name: string, given: string): string[] {
  const example = `such as "30 3 * * *"`
  const texts = given.split(' ')
  if (texts.length !== CRONTAB.length || !/^[\d*,/ -]+$/.test(given))
    return [`${name} must be five fields of a crontab line, ${example}, not "${given}"`]
  const fields = CRONTAB.map(({ least, most }, index) => crontabValues(texts[index] ?? '', least, most))
  const wrong = fields.indexOf(undefined)
  const { field, least, most } = CRONTAB[wrong] ?? {}
  if (wrong >= 0)
    return [
      `${name} has "${texts[wrong]}" as its ${field}: write numbers from ${least} to ${most}, ${example}`,
    ]
  const [, , days = [], months = []] = fields
  const isEver =
    texts[4] !== '*' || months.some((month) => days.some((day) => day <= (LONGEST_MONTHS[month - 1] ?? 0)))
  return isEver ? [] : [`${name} names a day that no month has, "${given}": write for example "30 3 * * *"`]
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

/** Reports a URL without a host, which would lead to this machine. */
export const hostFaults = (named: Record<string, string | undefined>): string[] =>
  Object.entries(named).flatMap(([name, given]) =>
    given !== undefined && URL.parse(given)?.hostname === ''
      ? [`${name} names no host: write the host of the service after //`]
      : [],
  )

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
    const upper = name.toUpperCase()
    // Other programs use lower-case names of one word.
    const isLower = name !== upper && name.includes('_') && known.includes(upper)
    const isKnown = known.includes(name) || RETIRED.has(name)
    const meant = isKnown ? undefined : isLower ? upper : suggestWord(name, unset)
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
