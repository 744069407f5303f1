import { ImError } from './provider.ts'

export type Reply = { status: number; body: unknown; headers: Headers }

/** Requests of one provider: JSON both ways, a few at once, each within a time. */
export type HttpClient = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Reply>

/**
 * At most `atOnce` requests are open, which also bounds the connections that are kept. A request that could not even
 * be sent because its connection was refused or reset is `unavailable`, as is a 5xx answer or none in time.
 */
export function createHttpClient(options: { base: string; timeoutMs: number; atOnce: number }): HttpClient {
  let open = 0
  const waiting: (() => void)[] = []
  const enter = async () => {
    if (open < options.atOnce) open += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else open -= 1
  }
  return async (method, path, { body, headers } = {}) => {
    await enter()
    try {
      const reply = await fetch(`${options.base}${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeoutMs),
      })
      const text = await reply.text()
      return { status: reply.status, body: parse(text), headers: reply.headers }
    } catch (error) {
      const cause = (error as Error).cause as { code?: string } | undefined
      const reason = cause?.code ?? (error as Error).name
      throw new ImError('unavailable', `${method} ${path.split('?')[0]}: ${reason}`, { cause: error })
    } finally {
      leave()
    }
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** Does `work` on all items, a few at once, and collects what became of each. */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
