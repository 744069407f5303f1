import { Worker } from 'node:worker_threads'

const PATIENCE_MS = 20_000
const MEMORY_MB = 256

/** Returns the duration of a recording in seconds, or undefined when unknown. */
export function readDuration(
  bytes: Buffer,
  mime: string,
  { patienceMs = PATIENCE_MS } = {},
): Promise<number | undefined> {
  const thread = new Worker(new URL('./sound-thread.ts', import.meta.url), {
    workerData: { bytes, mime },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  return new Promise((resolve) => {
    const late = setTimeout(() => void thread.terminate(), patienceMs)
    thread.once('message', (seconds: number) => resolve(seconds > 0 ? seconds : undefined))
    // A broken file, or one over the memory limit, has no duration.
    thread.once('error', () => resolve(undefined))
    thread.once('exit', () => {
      clearTimeout(late)
      resolve(undefined)
    })
  })
}
