import type { Log } from '#platform/log.ts'

/** One thing to be closed, and how long it may take. */
export type Closer = { name: string; withinMs: number; close: () => unknown }

/** Closes one thing after the other. What fails or takes too long is logged, and keeps none of the rest from being closed. */
export async function closeInOrder(closers: Closer[], log: Log): Promise<void> {
  for (const { name, withinMs, close } of closers) {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took more than ${withinMs} ms`)), withinMs)
    })
    try {
      await Promise.race([close(), late])
    } catch (error) {
      log.error({ err: error, closing: name }, 'closing')
    } finally {
      clearTimeout(timer)
    }
  }
}
