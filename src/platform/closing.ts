import pTimeout from 'p-timeout'
import type { Log } from '#platform/observability'

export type Closer = { name: string; withinMs: number; close: () => unknown }

export async function closeInOrder(closers: Closer[], log: Log): Promise<void> {
  for (const { name, withinMs, close } of closers) {
    const closed = (async () => close())()
    await pTimeout(closed, { milliseconds: withinMs, message: `took more than ${withinMs} ms` }).catch(
      (error) => log.error({ err: error, closing: name }, 'closing'),
    )
  }
}
