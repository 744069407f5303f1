import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Db, logFailure, type Sql } from '#platform/database'
import type { Log } from '#platform/observability'

const RENEW_MS = 2_000
/** Longer than two renewals, so that one slow statement does not lose the lease. */
const LEASE = '6 seconds'

type Worker = { stop: () => Promise<void> }

/**
 * Also takes a lease that is longer than any node takes, because the clock of the database was ahead at that time. Compares
 * with the time at which the row is locked, because a claim that waited for it would otherwise find a new lease too long.
 */
const claim = async (sql: Db, node: string): Promise<boolean> =>
  (
    await sql`
      update worker_lease set node = ${node}, leased_until = now() + ${LEASE}::interval
      where node = ${node} or leased_until not between clock_timestamp() and clock_timestamp() + ${LEASE}::interval
      returning node`
  ).length > 0

const release = (sql: Db, node: string) => sql`
  update worker_lease set leased_until = '-infinity' where node = ${node}`

/**
 * Runs a worker while this server node holds the site's lease, and retries a failed start or renewal every
 * two seconds. Two nodes may overlap briefly without harm, because the queue locks each job.
 */
export async function runOnLease(sql: Sql, log: Log, start: () => Promise<Worker>): Promise<Worker> {
  const node = randomUUID()
  const ending = new AbortController()
  let worker: Worker | undefined

  const tryRenewal = async () => {
    const isMine = await claim(sql, node)
    if (isMine && worker === undefined) {
      try {
        worker = await start()
      } catch (error) {
        await release(sql, node)
        throw error
      }
      log.info('this node runs the jobs of the site')
    } else if (!isMine && worker !== undefined) {
      const lost = worker
      worker = undefined
      log.warn('another node took over the jobs of the site')
      await lost.stop()
    }
  }
  const renew = () =>
    tryRenewal().catch((error) => logFailure(log, error, 'renewing the lease of the worker failed'))
  await renew()
  if (worker === undefined) log.info('this node is on standby for the jobs of the site')
  const renewing = (async () => {
    for (;;) {
      await pause(RENEW_MS, undefined, { signal: ending.signal })
      await renew()
    }
  })().catch(() => {})
  return {
    async stop() {
      ending.abort()
      await renewing
      await worker?.stop()
      await release(sql, node).catch((error) => log.warn({ err: error }, 'releasing the lease failed'))
    },
  }
}
