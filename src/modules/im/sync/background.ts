import pTimeout from 'p-timeout'
import { type Context, defineState } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { addJob } from '#platform/jobs'
import { ImError } from '../providers/provider.ts'

export type Kind = 'im_account' | 'im_group'

/** Duration of a lease. A process that died blocks its work for this long. */
export const LEASE_SECONDS = 30
/** Delay of the job. The request does the work itself; the job covers a process that died. */
const AFTER_REQUEST_SECONDS = 10
const CLOSING_MS = 5_000

/**
 * Enqueues the sync of an account or group, in the transaction that changes it. At most one job waits for
 * each.
 */
export const addSync = (tx: Db, kind: Kind, id: number, delaySeconds = AFTER_REQUEST_SECONDS) =>
  addJob(tx, kind, { id }, { key: `${kind}:${id}`, queue: `${kind}:${id}`, delaySeconds })

/** Schedules a retry: soon, then with backoff, during an outage; rarely after a rejection. */
export async function addRetry(ctx: Context, kind: Kind, id: number, attempts: number, error: unknown) {
  await addSync(ctx.sql, kind, id, retryDelay(attempts, error))
}

/** Returns the seconds until the next attempt. */
function retryDelay(attempts: number, error: unknown): number {
  const fault = error instanceof ImError ? error : undefined
  const passing = fault?.fault === 'unavailable' || fault?.fault === 'limited'
  const backoff = Math.min(2 ** Math.min(attempts, 12) / 4, passing ? 30 : 600)
  return Math.max(backoff * (0.75 + Math.random() / 2), fault?.retryAfterSeconds ?? 0)
}

/** Returns 202 while the provider has not confirmed the stored change, else 201 (im-1). */
export const madeStatus = (confirmed: boolean): 201 | 202 => (confirmed ? 201 : 202)

/** Work that continues after its reply. Shutdown waits for it briefly. */
const running = defineState((ctx) => {
  const all = new Set<Promise<unknown>>()
  ctx.onClose.unshift(async () => {
    await pTimeout(Promise.allSettled(all), { milliseconds: CLOSING_MS, message: false })
  })
  return all
})

/** Lets work continue after the reply. */
function keepRunning(ctx: Context, work: Promise<unknown>) {
  const held = running(ctx)
  held.add(work)
  void work
    .catch((error) => ctx.log.error({ err: error }, 'instant-messaging sync failed'))
    .finally(() => held.delete(work))
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Runs a sync within the time limit of a request. Returns whether the provider confirmed it; the reply is 202
 * otherwise (im-1).
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
    const left = Math.max(1, deadline - Date.now())
    const outcome = await pTimeout(
      work.catch(() => 'failed' as const),
      { milliseconds: left, fallback: () => 'late' as const },
    )
    // Another process may hold the lease.
    if (outcome === 'done' || outcome === 'busy') if (await isConfirmed()) return true
    if (outcome === 'failed' || Date.now() >= deadline) return false
    await pause(25)
  }
}
