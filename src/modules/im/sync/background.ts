import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { ImError } from '../providers/provider.ts'

export type Kind = 'im_account' | 'im_group'

/** A process that died with work in hand keeps it from others for this long. */
export const LEASE_SECONDS = 30
/** A request does the work itself, and the job comes after it in case the process died. */
const AFTER_REQUEST_SECONDS = 10
const CLOSING_MS = 5_000

/** Adds the job that brings an account or group in line, in the transaction that changes it. One waits for each. */
export const addSync = (tx: Db, kind: Kind, id: number, delaySeconds = AFTER_REQUEST_SECONDS) =>
  addJob(tx, kind, { id }, { key: `${kind}:${id}`, queue: `${kind}:${id}`, delaySeconds })

/** Tries again later: soon and ever more rarely while the service is down, rarely when it refuses. */
export async function addRetry(ctx: Context, kind: Kind, id: number, attempts: number, error: unknown) {
  await addSync(ctx.sql, kind, id, retryDelay(attempts, error))
}

/** Seconds until the next attempt. */
function retryDelay(attempts: number, error: unknown): number {
  const fault = error instanceof ImError ? error : undefined
  const passing = fault?.fault === 'unavailable' || fault?.fault === 'limited'
  const backoff = Math.min(2 ** Math.min(attempts, 12) / 4, passing ? 30 : 600)
  return Math.max(backoff * (0.75 + Math.random() / 2), fault?.retryAfterSeconds ?? 0)
}

/** The status of what is stored: 202 while the provider has not confirmed it (im-1). */
export const madeStatus = (confirmed: boolean): 201 | 202 => (confirmed ? 201 : 202)

const running = new WeakMap<object, Set<Promise<unknown>>>()

/** Lets work go on after the answer; closing waits for it a little. */
function keepRunning(ctx: Context, work: Promise<unknown>) {
  let all = running.get(ctx.config)
  if (!all) {
    const made = new Set<Promise<unknown>>()
    all = made
    running.set(ctx.config, made)
    ctx.onClose.unshift(async () => {
      const limit = new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())
      await Promise.race([Promise.allSettled(made), limit])
    })
  }
  const held = all
  held.add(work)
  void work
    .catch((error) => ctx.log.error({ err: error }, 'instant messaging'))
    .finally(() => held.delete(work))
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Brings something in line within the time a request may take, and answers whether the provider confirmed it: otherwise
 * the answer is 202 (im-1).
 */
export async function waitFor(
  ctx: Context,
  sync: () => Promise<'done' | 'busy' | 'failed'>,
  isConfirmed: () => Promise<boolean>,
): Promise<boolean> {
  const deadline = Date.now() + ctx.config.im.confirmMs
  for (;;) {
    const work = sync()
    keepRunning(ctx, work)
    const left = Math.max(0, deadline - Date.now())
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), left)
    })
    const outcome = await Promise.race([work.catch(() => 'failed' as const), limit])
    clearTimeout(timer)
    // Somebody else may be at work on it.
    if (outcome === 'done' || outcome === 'busy') if (await isConfirmed()) return true
    if (outcome === 'failed' || Date.now() >= deadline) return false
    await pause(25)
  }
}
