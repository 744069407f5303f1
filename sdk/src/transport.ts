import { networkError } from './errors.ts'
import type { Session } from './session.ts'

export type RetryOptions = {
  /** Maximum number of attempts. 1 disables retries. */
  attempts: number
  /** Delay before the second attempt. Each further attempt doubles the delay. */
  baseMs: number
  /** Maximum accepted `Retry-After`. A longer wait fails the request. */
  maxWaitMs: number
}

export const RETRY: RetryOptions = { attempts: 3, baseMs: 300, maxWaitMs: 10_000 }

const PASSING = new Set([429, 502, 503, 504])

export function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

export const backOff = (attempt: number, baseMs: number, maxMs: number): number =>
  Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)

/**
 * Sends a request and refreshes a rejected token once. Retries transient failures of `repeatable` requests, and
 * any request that exceeded the rate limit.
 */
export async function send(
  make: () => Request,
  options: {
    fetch: typeof fetch
    session: Session
    retry: RetryOptions
    /** True when a retry cannot repeat the effect. */
    repeatable: boolean
  },
): Promise<Response> {
  const { session, retry, repeatable } = options
  let refused: string | undefined
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= retry.attempts
    const request = make()
    const { signal } = request
    const hasOwn = request.headers.has('authorization')
    const token = hasOwn ? null : await session.token(refused)
    if (token) request.headers.set('authorization', `Bearer ${token}`)
    let response: Response
    try {
      response = await options.fetch(request)
    } catch (cause) {
      if (isLast || !repeatable || signal?.aborted) throw networkError(cause, signal)
      await wait(backOff(attempt, retry.baseMs, retry.maxWaitMs), signal)
      continue
    }
    if (response.status === 401 && token && !refused) {
      await response.body?.cancel()
      refused = token
      attempt -= 1
      continue
    }
    const stillRuns = response.headers.get('x-error-code') === 'idempotency_key_running'
    // A rate-limited request had no effect, so a retry is always safe.
    const mayRepeat = repeatable || response.status === 429
    if (isLast || !mayRepeat || !(PASSING.has(response.status) || stillRuns)) return response
    const asked = Number(response.headers.get('retry-after') ?? 0) * 1000
    if (asked > retry.maxWaitMs) return response
    await response.body?.cancel()
    await wait(Math.max(asked, backOff(attempt, retry.baseMs, retry.maxWaitMs)), signal)
  }
}
