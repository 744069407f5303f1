import type { components } from './generated/api.ts'
import type { ErrorCode, OperationErrors, UnpaidCode } from './generated/error-codes.ts'

/** Client-side codes: the connection failed, or the response did not come from Kith. */
type ClientErrorCode = 'network_error' | 'webhook_not_signed'

/** All known values of `code`; a newer server may send others. */
export type KnownErrorCode = ErrorCode | ClientErrorCode

/**
 * The codes of an operation, by its name: `ErrorCodeOf<'createFeed'>`. Every operation may also report an
 * overloaded server.
 */
export type ErrorCodeOf<Operation extends keyof OperationErrors> = OperationErrors[Operation]

/** The price in the 403 of unpaid content. `POST /currency/purchases/{node}` pays it with points. */
export type UnpaidError = components['schemas']['UnpaidError']

/** An error with one of these codes, with the body that it sends. */
export type KithErrorOf<Code extends KnownErrorCode> = KithError & {
  readonly code: Code
  readonly body: [Code] extends [UnpaidCode] ? UnpaidError : Readonly<Record<string, unknown>>
}

/** A failed request. `code` is for programs, `message` for users in the client's language. */
export class KithError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number
  readonly code: KnownErrorCode | (string & {})
  /** Errors by input field. Empty if the server sent none. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** Request id for bug reports. */
  readonly requestId: string | null
  /** Seconds to wait before a retry, if the server sent them. */
  readonly retryAfter: number | null
  /** The whole body, with additional fields of an operation (`paid_node`, `amount`). */
  readonly body: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: KnownErrorCode | (string & {}),
    message: string,
    more: {
      fields?: Record<string, string[]>
      requestId?: string | null
      retryAfter?: number | null
      body?: Record<string, unknown>
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'KithError'
    this.status = status
    this.code = code
    this.fields = more.fields ?? {}
    this.requestId = more.requestId ?? null
    this.retryAfter = more.retryAfter ?? null
    this.body = more.body ?? {}
  }

  /** Returns whether the error has one of these codes: `error.is('name_taken', 'name_reserved')`. */
  is<Code extends KnownErrorCode>(...codes: Code[]): this is KithErrorOf<Code> {
    return (codes as string[]).includes(this.code)
  }

  /** The first message of a field, to show beside it. */
  field(name: string): string | undefined {
    return this.fields[name]?.[0]
  }
}

/** Returns whether a thrown value is an error of Kith, optionally with one of these codes. */
export function isKithError(error: unknown): error is KithError
export function isKithError<Code extends KnownErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is KithErrorOf<Code>
export function isKithError(error: unknown, ...codes: KnownErrorCode[]): boolean {
  return error instanceof KithError && (codes.length === 0 || error.is(...codes))
}

export async function readError(response: Response): Promise<KithError> {
  return errorOf(response, await response.json().catch(() => null))
}

export function errorOf(response: Response, parsed: unknown): KithError {
  const body = (parsed !== null && typeof parsed === 'object' ? parsed : {}) as Record<string, unknown>
  const text = Array.isArray(body.message) ? body.message[0] : body.message
  const after = response.headers.get('retry-after')
  return new KithError(
    response.status,
    response.headers.get('x-error-code') ?? `http_${response.status}`,
    typeof text === 'string' && text !== '' ? text : `HTTP ${response.status}`,
    {
      fields: (body.errors ?? {}) as Record<string, string[]>,
      requestId: response.headers.get('x-request-id'),
      retryAfter: after !== null && Number.isFinite(Number(after)) ? Number(after) : null,
      body,
    },
  )
}

/** Converts a failure of `fetch` to an error. An abort by the caller stays unchanged. */
export function networkError(cause: unknown, signal?: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason ?? cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new KithError(0, 'network_error', `The server could not be reached: ${message}`, { cause })
}
