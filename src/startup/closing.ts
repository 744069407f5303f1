import pTimeout from 'p-timeout'
import type { Log } from '#platform/observability'
import { restartProcess } from './restart.ts'

export type Closer = { name: string; withinMs: number; close: () => unknown }

export async function closeInOrder(closers: Closer[], log: Log): Promise<void> {
  for (const { name, withinMs, close } of closers) {
    const closed = (async () => close())()
    await pTimeout(closed, { milliseconds: withinMs, message: `took more than ${withinMs} ms` }).catch(
      (error) => log.warn({ err: error, closing: name }, 'closing'),
    )
  }
}

/** Signal of a shutdown after which the process starts again. */
export const RESTART = 'restart'

/** Returns a function that closes the parts in order and ends the process. Repeated calls wait for the first one. */
export function createShutDown(closers: Closer[], log: Log) {
  let closing: Promise<void> | undefined
  const close = async (signal: string, code: number) => {
    log.info({ signal }, 'draining')
    await closeInOrder(closers, log)
    log.info('stopped')
    if (signal === RESTART) restartProcess(code)
    process.exit(code)
  }
  return {
    isClosing: () => closing !== undefined,
    shutDown(signal: string, code = 0): Promise<void> {
      closing ??= close(signal, code)
      return closing
    },
  }
}
