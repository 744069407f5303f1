import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Job, WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import {
  clientConfig,
  type DatabaseAddress,
  type Listener,
  listenOn,
  logFailure,
  type Tag,
} from '#platform/database'
import type { Log } from '#platform/observability'
import { CONNECT_MS } from './connection.ts'

const SEED = 4_127_003
const SWEEP_MS = 5_000
/**
 * Consecutive sweeps that may find no lock of a worker, because a live worker holds no lock while it
 * reconnects.
 */
const MOST_MISSED = 2
const RETRY_MS = 250

/**
 * Maximum number of attempts of a job whose workers were killed, because the job itself may crash its
 * process.
 */
const ATTEMPTS_MOST = 32

/** Finds the workers other than `$1` that have locked jobs or queues but hold no advisory lock. */
const FIND = `
select distinct locked_by from (
  select locked_by from graphile_worker._private_jobs where locked_by is not null
  union all select locked_by from graphile_worker._private_job_queues where locked_at is not null
) held
where locked_by <> all($1) and not exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(held.locked_by, ${SEED})
)`

/**
 * Releases the jobs and queues of the workers in `$1`. Raises `max_attempts` of the jobs, because an attempt that a
 * kill interrupted must not use up the retries.
 */
const FREE = `
with jobs as (
  update graphile_worker._private_jobs
  set locked_by = null, locked_at = null,
    max_attempts = case when attempts < ${ATTEMPTS_MOST} then max_attempts + 1 else max_attempts end
  where locked_by = any($1) returning true
), queues as (
  update graphile_worker._private_job_queues set locked_by = null, locked_at = null
  where locked_by = any($1) returning true
)
select true from jobs union all select true from queues`

export type Presence = Awaited<ReturnType<typeof watchWorkers>>

type Holder = { session: Tag; locks: Map<string, Promise<unknown>> }

/**
 * Each worker holds an advisory lock while it lives, on the connection that also listens for jobs. Sweeps release
 * the jobs of workers without a lock, such as those of a killed server.
 */
export async function watchWorkers(
  pool: pg.Pool,
  connection: DatabaseAddress,
  log: Log,
  hear: Listener['hear'],
  sweepMs = SWEEP_MS,
) {
  const workers = new Set<string>()
  /** Workers that had no lock at the last sweep, with the number of consecutive sweeps that missed it. */
  let suspects = new Map<string, number>()
  let holder: Holder | undefined
  let isClosed = false

  // Acquires a shared lock, because the backend of a broken connection may still hold the worker's lock.
  const lock = async (on: Holder | undefined, worker: string) => {
    if (!on) throw new Error('the connection of the locks is not open')
    const { session, locks } = on
    const locking =
      locks.get(worker) ??
      session`select pg_advisory_lock_shared(hashtextextended(${worker}, ${SEED}))`.catch((error) => {
        locks.delete(worker)
        throw error
      })
    locks.set(worker, locking)
    return locking
  }
  const unlock = async ({ session, locks }: Holder, worker: string) => {
    if (!locks.delete(worker)) return
    await session`select pg_advisory_unlock_shared(hashtextextended(${worker}, ${SEED}))`
  }
  const free = async (gone: string[]) => {
    if (gone.length === 0) return
    const { rowCount } = await pool.query(FREE, [gone])
    if (rowCount) log.warn({ workers: gone }, 'released the jobs of dead workers')
  }
  const sweep = async () => {
    const known = suspects
    suspects = new Map()
    const { rows } = await pool.query<{ locked_by: string }>(FIND, [[...workers]])
    const missed = new Map(rows.map(({ locked_by }) => [locked_by, (known.get(locked_by) ?? 0) + 1]))
    await free([...missed.keys()].filter((worker) => missed.get(worker)! > MOST_MISSED))
    suspects = missed
  }
  const warn = (error: unknown) => logFailure(log, error, 'searching for dead workers failed')
  const stop = await listenOn(
    { config: { ...clientConfig(connection), connectionTimeoutMillis: CONNECT_MS } },
    ['jobs:insert', 'worker:migrate'],
    {
      hear,
      async onOpen(session) {
        const opened = { session, locks: new Map() }
        // Sets `holder` before the locks, so that `withdraw` can release locks that the session already holds.
        holder = opened
        await Promise.all([...workers].map((worker) => lock(opened, worker)))
      },
      onLost() {
        holder = undefined
      },
    },
  )
  const stopSweeps = repeat(sweepMs, sweep, warn)

  return {
    /** Resolves when the worker holds its lock. */
    async announce(worker: string): Promise<void> {
      workers.add(worker)
      while (!isClosed && workers.has(worker)) {
        const isLocked = await lock(holder, worker).then(
          () => true,
          () => false,
        )
        if (isLocked) return
        await pause(RETRY_MS, undefined, { ref: false })
      }
    },
    /** Releases the jobs of ended workers of this process. After a failure, the next sweeps find these workers. */
    async withdraw(gone: string[]): Promise<void> {
      for (const worker of gone) {
        workers.delete(worker)
        if (holder) unlock(holder, worker).catch(() => {})
      }
      await free(gone)
    },
    sweep,
    close(): void {
      isClosed = true
      stopSweeps()
      stop()
    },
  }
}

const LOOK_MS = 10_000

/** Puts a job that never started back into the queue, without counting the attempt. */
const GIVE_BACK = `
with job as (
  update graphile_worker._private_jobs j
  set locked_by = null, locked_at = null, attempts = greatest(0, j.attempts - 1)
  from unnest($1::bigint[], $2::int[], $3::text[]) as lost (id, attempts, locked_by)
  where j.id = lost.id and j.attempts = lost.attempts and j.locked_by = lost.locked_by
  returning j.job_queue_id, lost.locked_by
)
update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
from job where q.id = job.job_queue_id and q.locked_by = job.locked_by`

const keyOf = ({ id, attempts }: Pick<Job, 'id' | 'attempts'>) => `${id} ${attempts}`

/**
 * Releases jobs that a worker of this process locked but never started, because the connection broke before
 * PostgreSQL's response. The worker is alive, so graphile-worker would release the jobs only after four
 * hours.
 */
export function watchLostJobs(pool: pg.Pool, log: Log) {
  const events: WorkerEvents = new EventEmitter()
  const workers = new Set<string>()
  let begun = new Set<string>()
  /**
   * Jobs found locked but not started in the previous check. One check is not enough, because the response
   * with the jobs may still be in transit.
   */
  let suspects = new Set<string>()
  events.on('pool:create', ({ workerPool }) => void workers.add(workerPool.id))
  events.on('job:start', ({ job }) => void begun.add(keyOf(job)))

  const look = async () => {
    const before = new Set(begun)
    const { rows } = await pool.query<{ id: string; attempts: number; locked_by: string }>(
      `select id::text, attempts, locked_by from graphile_worker._private_jobs where locked_by = any($1)`,
      [[...workers]],
    )
    const locked = new Set(rows.map(keyOf))
    begun = new Set([...begun].filter((key) => locked.has(key) || !before.has(key)))
    const idle = rows.filter((job) => !begun.has(keyOf(job)))
    const lost = idle.filter((job) => suspects.has(keyOf(job)))
    suspects = new Set(idle.map(keyOf))
    if (lost.length === 0) return
    await pool.query(GIVE_BACK, [
      lost.map(({ id }) => id),
      lost.map(({ attempts }) => attempts),
      lost.map(({ locked_by }) => locked_by),
    ])
    log.warn({ jobs: lost.map(({ id }) => id) }, 'released jobs that were locked but never started')
  }
  const close = repeat(LOOK_MS, look, (error) =>
    logFailure(log, error, 'searching for jobs that never started failed'),
  )

  return { events, close }
}

/** Repeats `work` until the returned function is called. Skips a turn while the previous one still runs. */
function repeat(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    work()
      .catch(onError)
      .finally(() => {
        isRunning = false
      })
  }, everyMs).unref()
  return () => clearInterval(timer)
}
