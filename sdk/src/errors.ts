import type { components } from './generated/api.ts'
import type { ErrorCode, OperationErrors, UnpaidCode } from './generated/error-codes.ts'

type ClientErrorCode = 'network_error' | 'webhook_not_signed'

/** All codes of this version. A newer server may send further codes. */
export type KnownErrorCode = ErrorCode | ClientErrorCode

/** Codes that an operation can return, such as `ErrorCodeOf<'createFeed'>`. */
export type ErrorCodeOf<Operation extends keyof OperationErrors> = OperationErrors[Operation]

/** Body of a 403 for unpaid content, with its price. `POST /currency/purchases/{node}` pays the price with points. */
export type UnpaidError = components['schemas']['UnpaidError']

/** Error with a known code, which determines the type of `body`. */
export type KithErrorOf<Code extends KnownErrorCode> = KithError & {
  readonly code: Code
  readonly body: [Code] extends [UnpaidCode] ? UnpaidError : Readonly<Record<string, unknown>>
}

/** A failed request. `code` is for programs, and `message` is a text for users in the client's language. */
export class KithError extends Error {
  /** HTTP status, or 0 without a response. */
  readonly status: number
  readonly code: KnownErrorCode | (string & {})
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | null
  /** Seconds to wait before a retry, from the `Retry-After` header. */
  readonly retryAfter: number | null
  /** Complete response body, including fields that only one operation returns, such as `paid_node`. */
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

  /** Returns whether the error has one of the codes, as in `error.is('name_taken', 'name_reserved')`. */
  is<Code extends KnownErrorCode>(...codes: Code[]): this is KithErrorOf<Code> {
    return (codes as string[]).includes(this.code)
  }

  field(name: string): string | undefined {
    return this.fields[name]?.[0]
  }
}

/** Returns whether a thrown value is an error of Kith, optionally with one of the codes. */
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

/** Builds the error of a reply from its status, headers and parsed body, such as `error` of `Kith.api`. */
export function errorOf(
  response: { status: number; headers: Pick<Headers, 'get'> },
  parsed: unknown,
): KithError {
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

/** Converts a rejection of `fetch` to a `KithError`. Returns the abort reason if the caller aborted the request. */
export function networkError(cause: unknown, signal?: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason ?? cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new KithError(0, 'network_error', `The server could not be reached: ${message}`, { cause })
}
