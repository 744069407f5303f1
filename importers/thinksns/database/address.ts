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
    throw new Error('?ssl= of the database of the source is true, or verify')
  if (ssl === 'false' && (tls || tlsCa !== undefined))
    throw new Error('the address of the source says ?ssl=false, and an option asks for TLS')
  if (tlsCa !== undefined)
    return { ssl: { ca: await readFile(tlsCa, 'utf8'), verifyIdentity: ssl === 'verify' } }
  if (ssl === 'verify') return { ssl: { verifyIdentity: true } }
  return tls || ssl === 'true' ? { ssl: { rejectUnauthorized: false } } : {}
}

export async function connectionOf(address: SourceAddress): Promise<ConnectionOptions> {
  const url = URL.canParse(address.database) ? new URL(address.database) : undefined
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '')
  if (!url || !/^(mysql|mariadb):$/.test(url.protocol) || database === '')
    throw new Error('the database of the source is given as mysql://USER:PASSWORD@HOST:PORT/NAME')
  const socket = url.searchParams.get('socket')
  const ssl = url.searchParams.get('ssl')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The mysql2 driver compares a certificate with host names only, not with IP addresses.
  if (ssl === 'verify' && isIP(host))
    throw new Error('?ssl=verify needs the name of the host, not its address')
  return {
    ...(socket ? { socketPath: socket } : { host, port: Number(url.port || 3306) }),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    ...(await tlsOf(ssl, address)),
  }
}

export function faultOf(
  { code, message }: { code?: string; message: string },
  options: ConnectionOptions,
): string {
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the database of the source offers no TLS: turn it on there, or leave out --tls and ?ssl='
  if (code === 'HANDSHAKE_SSL_ERROR')
    return (
      `the certificate of the database of the source is not trusted (${message}): name the authority that made it with ` +
      '--tls-ca FILE, or encrypt without looking at it (--tls alone)'
    )
  if (!hasTls(options) && /insecure transport|require_secure_transport/i.test(message))
    return 'the database of the source lets nobody in without TLS: say --tls, or --tls-ca FILE to know who answers'
  if (!hasTls(options) && code === 'ER_ACCESS_DENIED_ERROR')
    return `the source says: ${message}: the user or the password is wrong, or this user may come with TLS only (--tls)`
  return `the source says: ${message}`
}
