/** A provider at which people have accounts, as the environment describes it. */
export type OutsideProvider = {
  clientId: string
  clientSecret: string
  /** Where the provider sends people back to: a page of the site's web client. */
  redirectUrl: string
  scope: string
} & (
  | { type: 'oidc'; issuer: string }
  | {
      type: 'oauth2'
      authorizeUrl: string
      tokenUrl: string
      profileUrl: string
      /** The field of the profile that never changes and belongs to one account. */
      subjectField: string
      /** Whether access tokens that a client brings are believed: nothing says for whom they were issued. */
      acceptTokens: boolean
    }
)

type Env = Record<string, string | undefined>

const NAME = /^[a-z][a-z0-9_]{0,31}$/
const isLoopback = ({ hostname }: URL) => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)

/** What a provider is told by, each with `LINKED_<NAME>_` before it. */
const FIELDS = [
  ...['TYPE', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URL', 'SCOPE', 'ISSUER'],
  ...['AUTHORIZE_URL', 'TOKEN_URL', 'PROFILE_URL', 'SUBJECT_FIELD', 'ACCEPT_TOKENS'],
]

const namesIn = (env: Env): string[] =>
  (env.LINKED_PROVIDERS ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** The variables that describe the providers that are named. */
export const providerVariables = (env: Env): string[] => [
  'LINKED_PROVIDERS',
  ...namesIn(env).flatMap((name) => FIELDS.map((field) => `LINKED_${name.toUpperCase()}_${field}`)),
]

/** Reads `LINKED_PROVIDERS` and what each of them needs; adds to `faults` what is missing. */
export function readOutsideProviders(env: Env, faults: string[]): Record<string, OutsideProvider> {
  const names = namesIn(env)
  const read = (name: string): OutsideProvider => {
    const prefix = `LINKED_${name.toUpperCase()}_`
    const text = (field: string, standard?: string) => {
      const value = env[prefix + field]?.trim() || standard
      if (value === undefined) faults.push(`${prefix}${field} is needed for the provider ${name}`)
      return value ?? ''
    }
    const url = (field: string) => {
      const value = text(field)
      // Secrets travel to these addresses, so plain HTTP is for this machine alone.
      if (value !== '' && !(URL.canParse(value) && isSafe(new URL(value))))
        faults.push(`${prefix}${field} must be a URL that begins with https://`)
      return value
    }
    const type = text('TYPE', 'oidc')
    const common = {
      clientId: text('CLIENT_ID'),
      clientSecret: text('CLIENT_SECRET'),
      redirectUrl: url('REDIRECT_URL'),
    }
    if (type === 'oidc') return { ...common, type, scope: text('SCOPE', 'openid'), issuer: url('ISSUER') }
    if (type !== 'oauth2') faults.push(`${prefix}TYPE must be one of oidc, oauth2, not "${type}"`)
    return {
      ...common,
      type: 'oauth2',
      scope: env[`${prefix}SCOPE`]?.trim() ?? '',
      authorizeUrl: url('AUTHORIZE_URL'),
      tokenUrl: url('TOKEN_URL'),
      profileUrl: url('PROFILE_URL'),
      subjectField: text('SUBJECT_FIELD', 'id'),
      acceptTokens: env[`${prefix}ACCEPT_TOKENS`]?.trim() === 'true',
    }
  }
  const entries = names.flatMap((name) => {
    if (NAME.test(name)) return [[name, read(name)] as const]
    faults.push(`LINKED_PROVIDERS has "${name}", which is not a name of small letters, digits and _`)
    return []
  })
  return Object.fromEntries(entries)
}

const isSafe = (url: URL) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
