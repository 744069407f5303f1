import type { Environment } from './secret-files.ts'

export type OutsideProvider = {
  clientId: string
  clientSecret: string
  label: string
  /** Undefined when Kith's own site receives the redirect. */
  redirectUrl: string | undefined
  scope: string
} & (
  | { type: 'oidc'; issuer: string }
  | {
      type: 'oauth2'
      authorizeUrl: string
      tokenUrl: string
      profileUrl: string
      /** Profile field of the provider with an immutable, unique user id. */
      subjectField: string
      /**
       * Allows clients to send an access token of the provider. Such a token names no audience, so the
       * provider may have issued it to another client.
       */
      acceptTokens: boolean
    }
)

const NAME = /^[a-z][a-z0-9_]{0,31}$/
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Allows plain HTTP on the loopback interface only, because the server sends secrets to the provider's URL. */
function isSafeUrl(text: string): boolean {
  const { protocol, hostname = '' } = URL.parse(text) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname))
}

const FIELDS = [
  ...['TYPE', 'LABEL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URL', 'SCOPE', 'ISSUER'],
  ...['AUTHORIZE_URL', 'TOKEN_URL', 'PROFILE_URL', 'SUBJECT_FIELD', 'ACCEPT_TOKENS'],
]

const namesIn = (env: Environment): string[] =>
  (env.LINKED_PROVIDERS ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

export const providerVariables = (env: Environment): string[] => [
  'LINKED_PROVIDERS',
  ...namesIn(env).flatMap((name) => FIELDS.map((field) => `LINKED_${name.toUpperCase()}_${field}`)),
]

export function readOutsideProviders(
  env: Environment,
  setting: (name: string) => string | undefined,
  faults: string[],
  hasSite: boolean,
): Record<string, OutsideProvider> {
  const names = namesIn(env)
  const read = (name: string): OutsideProvider => {
    const prefix = `LINKED_${name.toUpperCase()}_`
    const text = (field: string, standard?: string) => {
      const value = setting(prefix + field) ?? standard
      if (value === undefined) faults.push(`${prefix}${field} is required for the provider ${name}`)
      return value ?? ''
    }
    const url = (field: string) => {
      const value = text(field)
      if (value !== '' && !isSafeUrl(value))
        faults.push(`${prefix}${field} must be a URL that begins with https://`)
      return value
    }
    const type = text('TYPE', 'oidc')
    const common = {
      clientId: text('CLIENT_ID'),
      clientSecret: text('CLIENT_SECRET'),
      label: text('LABEL', name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')),
      redirectUrl:
        hasSite && setting(`${prefix}REDIRECT_URL`) === undefined ? undefined : url('REDIRECT_URL'),
    }
    if (type === 'oidc') return { ...common, type, scope: text('SCOPE', 'openid'), issuer: url('ISSUER') }
    if (type !== 'oauth2') faults.push(`${prefix}TYPE must be one of oidc, oauth2, not "${type}"`)
    return {
      ...common,
      type: 'oauth2',
      scope: setting(`${prefix}SCOPE`) ?? '',
      authorizeUrl: url('AUTHORIZE_URL'),
      tokenUrl: url('TOKEN_URL'),
      profileUrl: url('PROFILE_URL'),
      subjectField: text('SUBJECT_FIELD', 'id'),
      acceptTokens: setting(`${prefix}ACCEPT_TOKENS`) === 'true',
    }
  }
  const entries = names.flatMap((name) => {
    if (NAME.test(name)) return [[name, read(name)] as const]
    faults.push(`LINKED_PROVIDERS has "${name}", which is not a name of lower-case letters, digits and _`)
    return []
  })
  return Object.fromEntries(entries)
}
