import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'mysql2'

export type SourceAddress = {
  database: string
  /** Encrypts the connection without checking the certificate, like `?ssl=true`. */
  tls?: boolean | undefined
  tlsCa?: string | undefined
}

const hasTls = ({ ssl }: ConnectionOptions) => ssl !== undefined

async function tlsOf(ssl: string | null, { tls = false, tlsCa }: SourceAddress) {
  if (ssl !== null && !['true', 'verify', 'false'].includes(ssl))
    throw new Error('?ssl= in the URL of the old database must be true, verify or false')
  if (ssl === 'false' && (tls || tlsCa !== undefined))
    throw new Error('the URL of the old database has ?ssl=false, but --tls or --tls-ca requires TLS')
  if (tlsCa !== undefined)
    return { ssl: { ca: await readFile(tlsCa, 'utf8'), verifyIdentity: ssl === 'verify' } }
  if (ssl === 'verify') return { ssl: { verifyIdentity: true } }
  return tls || ssl === 'true' ? { ssl: { rejectUnauthorized: false } } : {}
}

const FORM =
  'the URL of the old database must have the form mysql://USER:PASSWORD@HOST:PORT/NAME. Characters of the user name and ' +
  'the password other than letters, digits, - . _ ~ must be percent-encoded, such as %40 for @, %2F for / and %23 for #'

/** A password with a slash, a question mark or a number sign ends the host too early. */
const isCut = ({ pathname, search, hash }: URL) =>
  `${pathname}${search}${hash}`.includes('@') || pathname.includes('/', 1)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(FORM)
  }
}

export async function connectionOf(address: SourceAddress): Promise<ConnectionOptions> {
  const url = URL.canParse(address.database) ? new URL(address.database) : undefined
  const database = decode(url?.pathname.slice(1) ?? '')
  if (!url || !/^(mysql|mariadb):$/.test(url.protocol) || database === '' || isCut(url)) throw new Error(FORM)
  const socket = url.searchParams.get('socket')
  const ssl = url.searchParams.get('ssl')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The mysql2 driver compares a certificate with host names only, not with IP addresses.
  if (ssl === 'verify' && isIP(host)) throw new Error('?ssl=verify requires a host name, not an IP address')
  return {
    ...(socket ? { socketPath: socket } : { host, port: Number(url.port || 3306) }),
    user: decode(url.username),
    password: decode(url.password),
    database,
    ...(await tlsOf(ssl, address)),
  }
}

export function faultOf(
  { code, message }: { code?: string; message: string },
  options: ConnectionOptions,
): string {
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the old database offers no TLS: enable it there, or omit --tls and ?ssl='
  if (code === 'HANDSHAKE_SSL_ERROR')
    return (
      `the certificate of the old database is not trusted (${message}): give its certificate authority with ` +
      '--tls-ca FILE, or use --tls alone to encrypt without verification'
    )
  if (!hasTls(options) && /insecure transport|require_secure_transport/i.test(message))
    return 'the old database requires TLS: add --tls, or --tls-ca FILE to also verify the server'
  if (!hasTls(options) && code === 'ER_ACCESS_DENIED_ERROR')
    return `the old database reports: ${message}. The user name or password is wrong, or this user must connect with TLS (--tls)`
  return `the old database reports: ${message}`
}
