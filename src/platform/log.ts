import {
  type DestinationStream,
  type Logger,
  pino,
  destination as pinoDestination,
  stdTimeFunctions,
} from 'pino'
import { redactAddress, redactText } from '#platform/redact.ts'

export type Log = Logger

/** One JSON object a line; `err` and `req` are written without personal data. */
export function createLog({ level, destination }: { level: string; destination?: DestinationStream }): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError, req: describeRequest },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Standard output, written in pieces of a few kilobytes or five times a second: a system call for each line was a tenth
 * of a request's cost. What is left is written when the process exits. No piece is longer than what a pipe takes as a
 * whole, so that the lines of several processes stay apart.
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

/** The URL of a request as it may be logged: neither secrets in the query nor persons in the path. */
export function redactRequestUrl(url: string): string {
  return redactAddress(url)
}

function describeRequest(request: unknown): unknown {
  if (!isObject(request)) return request
  const { method, url, id, ip } = request
  return { id, method, url: typeof url === 'string' ? redactRequestUrl(url) : undefined, ip }
}

/**
 * Only these are copied: the rest of an error may hold values (`parameters`, `args`, `detail` and `where` of
 * a database error, the command of a Redis error, the recipients of a mail error).
 */
const safeFields = [
  ...['code', 'statusCode', 'status', 'syscall', 'errno', 'address', 'port', 'path', 'dest'],
  ...['severity', 'constraint', 'constraint_name', 'schema', 'schema_name', 'table', 'table_name'],
  ...['column', 'column_name', 'datatype', 'routine', 'position', 'responseCode', 'permanent'],
]
const maxDepth = 5

/** An error as plain data without SQL parameters, row values or mail addresses. */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? redactText(error) : error
  const message = safeMessage(error)
  const described: Record<string, unknown> = {
    type: error.name === 'Error' ? error.constructor.name : error.name,
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

/** PostgreSQL quotes the faulty value in messages of class 22 (data exceptions). */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
