import type { operations } from './generated/api.ts'
import type { ErrorCode } from './generated/error-codes.ts'

/** What no server says: the way to it failed, or a message was not from one. */
type ClientErrorCode = 'network_error' | 'webhook_not_signed'

/** Every word that `code` may be; a newer server may send others. */
export type KnownErrorCode = ErrorCode | ClientErrorCode

type CodeOf<Reply> = Reply extends { headers: { 'X-Error-Code'?: infer Code } }
  ? unknown extends Code
    ? never
    : Code
  : never
type OwnCode<Replies> = { [Status in Exclude<keyof Replies, 'default'>]: CodeOf<Replies[Status]> }[Exclude<
  keyof Replies,
  'default'
>]

/** The codes that an operation answers with, by its name: `ErrorCodeOf<'createFeed'>`. Any may come besides that says the server is busy. */
export type ErrorCodeOf<Operation extends keyof operations> = Exclude<
  OwnCode<operations[Operation]['responses']>,
  undefined
>

/** A request that failed. `code` is for programs, `message` is for people, in the language of the client. */
export class KithError extends Error {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number
  readonly code: KnownErrorCode | (string & {})
  /** What is wrong with each field of the input; empty unless the server said so. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** Quote it when you report a fault. */
  readonly requestId: string | null
  /** Seconds after which it makes sense to try again, where the server said so. */
  readonly retryAfter: number | null
  /** The whole answer, with what an operation tells besides (`paid_node`, `amount`). */
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

  /** Whether the error is one of these: `error.is('name_taken', 'name_reserved')`. */
  is(...codes: KnownErrorCode[]): boolean {
    return (codes as string[]).includes(this.code)
  }

  /** The first thing that was said of a field, to show beside it. */
  field(name: string): string | undefined {
    return this.fields[name]?.[0]
  }
}

/** Whether something that was thrown is an error of Kith, with one of these codes where some are given. */
export function isKithError(error: unknown, ...codes: KnownErrorCode[]): error is KithError {
  return error instanceof KithError && (codes.length === 0 || error.is(...codes))
}

/** Reads an answer that is no success. */
export async function readError(response: Response): Promise<KithError> {
  return errorOf(response, await response.json().catch(() => null))
}

/** What an answer that is no success says, with its body as it was read. */
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

/** What a `fetch` that got no answer is told as. Whoever ended the request hears of that unchanged. */
export function networkError(cause: unknown, signal?: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason ?? cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new KithError(0, 'network_error', `The server could not be reached: ${message}`, { cause })
}
