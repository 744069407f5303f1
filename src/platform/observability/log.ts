import {
  type DestinationStream,
  type Logger,
  pino,
  destination as pinoDestination,
  stdTimeFunctions,
} from 'pino'

/**
 * Query parameters whose values are safe to log. The values of other parameters may be secrets, phone numbers
 * or search texts.
 */
const SHOWN = [
  ...['limit', 'offset', 'after', 'index', 'page', 'max_id', 'order', 'direction', 'sort'],
  ...['type', 'hot', 'id', 'user', 'user_id', 'author', 'group', 'group_id', 'cate_id'],
  ...['start', 'end', 'day', 'days', 'w', 'h', 'b', 'json'],
].join('|')
const SHOWN_PAIR = new RegExp(`^(?:${SHOWN})(?:=[\\w.,:-]*)?$`, 'i')
const NAME = /^[a-z_]{1,40}(?:\[[a-z_]{0,40}\])*$/i
const mask = '[redacted]'

export function redactUrl(url: string): string {
  const query = /[?#]|%3f|%23/i.exec(url)
  if (!query) return url
  const start = query.index + query[0].length
  return url.slice(0, start) + url.slice(start).split('&').map(redactPair).join('&')
}

function redactPair(pair: string): string {
  if (pair === '' || SHOWN_PAIR.test(pair)) return pair
  const name = pair.slice(0, Math.max(pair.indexOf('='), 0))
  return NAME.test(name) ? `${name}=${mask}` : mask
}

/**
 * Decodes up to three layers of percent-encoding, including invalid UTF-8, because they could hide personal
 * data.
 */
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
 * Matches URLs without personal data, so that almost all URLs skip the redaction. No part of the pattern is
 * ambiguous, so matching takes linear time.
 */
const PAIR = `(?:${SHOWN})=[\\w.,:-]*`
const PLAIN = new RegExp(`^(?:/(?:[a-z_.-]*|v2|[1-9]\\d{0,9}))*(?:\\?(?:${PAIR}(?:&${PAIR})*)?)?$`, 'i')

export const redactAddress = (url: string): string => (PLAIN.test(url) ? url : redactUrl(redactPath(url)))

/** Signature in the path of a signed URL, which grants access to any holder of the URL. */
const SIGNATURE = /^v1\.[\w-]{43}$/

export function redactPath(path: string): string {
  const end = path.search(/[?#]/)
  const [plain, rest] = end < 0 ? [path, ''] : [path.slice(0, end), path.slice(end)]
  return plain.split('/').map(redactSegment).join('/') + rest
}

function redactSegment(segment: string): string {
  if (segment.length < 5 || /^[a-z_.-]+$/i.test(segment)) return segment
  const text = decodeFully(segment).trim()
  // Restores the plus of a phone number, because `decodeFully` turns a plus into a space.
  const plain = segment.startsWith('+') ? `+${text}` : text
  if (SIGNATURE.test(text)) return mask
  if (/[^\s@]@[^\s@]/.test(text)) return '[email]'
  return isPhone(plain) ? '[phone]' : segment
}

/**
 * Counts plain digits as an id, not a phone number, unless they form a mainland Chinese mobile number or have
 * an international prefix.
 */
function isPhone(text: string): boolean {
  if (!/^[+(]?\d[\d\s().-]*$/.test(text)) return false
  const digits = text.replace(/\D/g, '')
  if (/^(0?86)?1[3-9]\d{9}$/.test(digits)) return true
  if (digits.length < 7 || digits.length > 17) return false
  if (text.startsWith('+') || digits.startsWith('00')) return true
  return /[\s()-]/.test(text) && !/^\d{4}-\d{2}-\d{2}/.test(text)
}

export function redactText(text: string): string {
  return text
    .replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]{1,2000}/gi, redactLink)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${mask}`)
    .replace(/[\w.+%-]{1,64}@[\w-]+(\.[\w-]+)+/g, '[email]')
    .replace(/(?<![\w.+-])[+(]?\d[\d ().-]{5,22}\d(?![\w.])/g, (found) =>
      isPhone(found) ? '[phone]' : found,
    )
}

const redactLink = (link: string) => redactAddress(link.replace(/:\/\/[^/?#@]*@/, '://'))

export type Log = Logger

export function createLog({ level, destination }: { level: string; destination?: DestinationStream }): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: describeError,
      error: describeError,
      req: describeRequest,
      // The form parser traces its options, which contain the headers of the request and thus its token.
      busboyOptions: () => undefined,
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Buffers standard output, because one system call per line took a tenth of the request time. A chunk is at
 * most as large as an atomic pipe write, so that lines of several processes do not mix.
 */
export function bufferedOutput(): DestinationStream {
  const output = pinoDestination({
    dest: 1,
    sync: false,
    minLength: 4000,
    maxWrite: 4096,
    periodicFlush: 200,
  })
  process.on('exit', () => {
    try {
      output.flushSync()
    } catch {}
  })
  return output
}

function describeRequest(request: unknown): unknown {
  if (typeof request !== 'object' || request === null) return request
  const { method, url, id, ip } = request as Record<string, unknown>
  return { id, method, url: typeof url === 'string' ? redactAddress(url) : undefined, ip }
}

/**
 * Error fields that are safe to log. Other fields may contain SQL parameters, row values or mail addresses.
 */
const safeFields = [
  ...['code', 'statusCode', 'status', 'syscall', 'errno', 'address', 'port', 'path', 'dest'],
  ...['severity', 'constraint', 'constraint_name', 'schema', 'schema_name', 'table', 'table_name'],
  ...['column', 'column_name', 'datatype', 'routine', 'position', 'responseCode', 'permanent'],
]
const maxDepth = 5

export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? redactText(error) : error
  const message = safeMessage(error)
  const described: Record<string, unknown> = {
    type: /^error$/i.test(error.name) ? error.constructor.name : error.name,
    message,
    stack: safeStack(error, message),
  }
  const fields: Record<string, unknown> = { ...error }
  for (const field of safeFields) {
    const value = fields[field]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      described[field] = value
    }
  }
  if (depth < maxDepth) {
    if (error.cause !== undefined) described.cause = describeError(error.cause, depth + 1)
    if (error instanceof AggregateError) {
      described.errors = error.errors.slice(0, 10).map((inner) => describeError(inner, depth + 1))
    }
  }
  return described
}

/** Masks the invalid value that PostgreSQL quotes in messages of class 22 (data exceptions). */
function safeMessage(error: Error): string {
  const isDataException = 'severity' in error && 'code' in error && /^22/.test(String(error.code))
  const message = isDataException ? error.message.replace(/".*"/s, '"…"') : error.message
  return redactText(message)
}

function safeStack(error: Error, message: string): string | undefined {
  const stack = error.stack
  if (!stack) return undefined
  const frames = stack.indexOf('\n    at ')
  return `${error.name}: ${message}${frames < 0 ? '' : stack.slice(frames)}`
}
