import { Worker } from 'node:worker_threads'

/** How long a recording may take to be read, on a busy machine too. */
const PATIENCE_MS = 20_000
const MEMORY_MB = 256

/** How many seconds a recording lasts, as its file says or its frames add up to; undefined where that cannot be told. */
export function secondsOf(bytes: Buffer, mime: string): Promise<number | undefined> {
  const thread = new Worker(new URL('./sound-thread.ts', import.meta.url), {
    workerData: { bytes, mime },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  return new Promise((resolve) => {
    const late = setTimeout(() => void thread.terminate(), PATIENCE_MS)
    thread.once('message', (seconds: number) => resolve(seconds > 0 ? seconds : undefined))
    // A file that is broken, or too much for it, is one that cannot be told.
    thread.once('error', () => resolve(undefined))
    thread.once('exit', () => {
      clearTimeout(late)
      resolve(undefined)
    })
  })
}
