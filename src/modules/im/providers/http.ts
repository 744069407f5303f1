import { ImError } from './provider.ts'

export type Reply = { status: number; body: unknown; headers: Headers }

/** HTTP client of a provider: JSON both ways, limited concurrency, a timeout per request. */
export type HttpClient = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Reply>

/**
 * Keeps at most `atOnce` requests open, which also bounds kept-alive connections. A refused or reset
 * connection, a 5xx reply and a timeout all become `unavailable`.
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

/** Runs `work` on all items with limited concurrency and collects the outcomes. */
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
