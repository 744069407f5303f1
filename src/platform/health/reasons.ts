import type { FaultCode } from './catalogue.ts'
import { HealthFault } from './faults.ts'

/** The service that failed, without its password. */
export type Target = { setting: string; host: string; port: number | string }

const CODES: Record<string, FaultCode> = {
  ENOTFOUND: 'host_unknown',
  EAI_AGAIN: 'name_service',
  ECONNREFUSED: 'port_closed',
  ETIMEDOUT: 'no_reply',
  ESOCKETTIMEDOUT: 'no_reply',
  UND_ERR_CONNECT_TIMEOUT: 'no_reply',
  UND_ERR_HEADERS_TIMEOUT: 'no_reply',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ECONNRESET: 'connection_broken',
  EPIPE: 'connection_broken',
  UND_ERR_SOCKET: 'connection_broken',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_mismatch',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_mismatch',
  CERT_HAS_EXPIRED: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_unknown',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_host',
}

/** Libraries replace the code of a TLS error by their own, so only its message tells the cause. */
const WORDS: [RegExp, FaultCode][] = [
  [/wrong version number|packet length too long|http request/i, 'tls_mismatch'],
  [/certificate has expired/i, 'certificate_expired'],
  [/self-signed certificate|unable to (get|verify)[\w ]*(issuer|first) certificate/i, 'certificate_unknown'],
  [/does not match certificate's altnames/i, 'certificate_other_host'],
  [/getaddrinfo ENOTFOUND/, 'host_unknown'],
  [/getaddrinfo EAI_AGAIN/, 'name_service'],
  [/connect ECONNREFUSED/, 'port_closed'],
  [/connect (EHOSTUNREACH|ENETUNREACH)/, 'unreachable'],
  [/ECONNRESET|socket hang up|closed unexpectedly/, 'connection_broken'],
  [/STARTTLS|initiating TLS/, 'tls_mismatch'],
]

/** The error with its causes, and the errors of all addresses of a host. */
function* causes(error: unknown, depth = 0): Generator<{ code?: unknown; message?: unknown }> {
  if (typeof error !== 'object' || error === null || depth > 5) return
  yield error
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  yield* causes(cause, depth + 1)
  if (Array.isArray(errors)) for (const each of errors) yield* causes(each, depth + 1)
}

export const addressOf = ({ host, port }: Pick<Target, 'host' | 'port'>) =>
  port === '' ? host : `${host}:${port}`

/** Names the fault of a connection. Undefined for an error that is no fault of the network. */
export function networkFault(error: unknown, { setting, host, port }: Target): HealthFault | undefined {
  const all = [...causes(error)]
  const known = all.find(({ code }) => typeof code === 'string' && Object.hasOwn(CODES, code))
  const code =
    (known && CODES[known.code as string]) ??
    all.flatMap(({ message }) => WORDS.find(([words]) => words.test(String(message)))?.[1] ?? [])[0]
  return code && new HealthFault(code, { setting, host, address: addressOf({ host, port }) }, error)
}

/** Names the fault of a connection whose target only the error knows. */
export function explainError(error: unknown, setting: string): HealthFault | undefined {
  type Failed = { hostname?: string; host?: string; address?: string; port?: number }
  const all = [...causes(error)] as Failed[]
  const of = (name: keyof Failed) => all.find((each) => each[name] !== undefined)?.[name]
  const host = of('hostname') ?? of('host') ?? of('address')
  if (host === undefined) return undefined
  return networkFault(error, { setting, host: String(host), port: of('port') ?? '' })
}

const PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'smtp:': 587,
  'smtps:': 465,
  'redis:': 6379,
  'rediss:': 6379,
}

/** The target of a setting that is a URL, without its user and password. */
export function targetOf(setting: string, url: string): Target {
  const { hostname, port, protocol } = new URL(url)
  return { setting, host: hostname, port: port || (PORTS[protocol] ?? '') }
}

const DISK: Record<string, FaultCode> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'disk_read_only',
  EACCES: 'disk_denied',
  EPERM: 'disk_denied',
  ENOTDIR: 'disk_no_folder',
}

export function diskFault(error: unknown, path: string): HealthFault | undefined {
  const found = [...causes(error)].find(({ code }) => typeof code === 'string' && Object.hasOwn(DISK, code))
  return found && new HealthFault(DISK[found.code as string] as FaultCode, { path }, error)
}

const BUCKET: Record<string, FaultCode> = {
  NoSuchBucket: 'bucket_missing',
  InvalidAccessKeyId: 'bucket_key',
  SignatureDoesNotMatch: 'bucket_key',
  InvalidToken: 'bucket_key',
  AccessDenied: 'bucket_denied',
  Forbidden: 'bucket_denied',
  PermanentRedirect: 'bucket_region',
  AuthorizationHeaderMalformed: 'bucket_region',
  RequestTimeTooSkewed: 'bucket_clock',
}

type BucketTarget = { endpoint?: string | undefined; region: string; bucket: string; setting: string }

/** Names the fault of an object store. `setting` names the bucket, and S3_ENDPOINT the address. */
export function bucketFault(
  error: unknown,
  { endpoint, region, bucket, setting }: BucketTarget,
): HealthFault | undefined {
  const target =
    endpoint === undefined
      ? { setting: 'S3_REGION', host: `s3.${region}.amazonaws.com`, port: 443 }
      : targetOf('S3_ENDPOINT', endpoint)
  const all = [...causes(error)] as { name?: unknown; $metadata?: { httpStatusCode?: number } }[]
  const address = addressOf(target)
  const known = all.find(({ name }) => typeof name === 'string' && Object.hasOwn(BUCKET, name))
  if (known)
    return new HealthFault(BUCKET[known.name as string] as FaultCode, { address, bucket, setting }, error)
  const network = networkFault(error, target)
  if (network) return network
  const answered = all.find(({ $metadata }) => $metadata !== undefined)
  if (!answered)
    return all.some(({ name }) => name === 'TimeoutError')
      ? new HealthFault('no_reply', { ...target, address }, error)
      : undefined
  const reason = String(answered.name ?? answered.$metadata?.httpStatusCode)
  return new HealthFault('bucket_answer', { address, setting: target.setting, reason }, error)
}
