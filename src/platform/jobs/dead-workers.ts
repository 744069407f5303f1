import { EventEmitter } from 'node:events'
import type { Job, WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import { clientConfig, type Listener, listenOn, type Tag } from '#platform/database'
import type { Log } from '#platform/observability'
import { CONNECT_MS, type JobsConnection } from './connection.ts'

const SEED = 4_127_003
const SWEEP_MS = 30_000

/**
 * Maximum number of attempts of a job whose workers were killed, because the job itself may crash its
 * process.
 */
const ATTEMPTS_MOST = 32

/**
 * Releases the jobs and queues of workers that hold no advisory lock. Raises `max_attempts` of the jobs,
 * because an attempt that a kill interrupted must not use up the retries.
 */
const FREE = `
with dead as (
  select distinct locked_by from (
    select locked_by from graphile_worker._private_jobs where locked_at is not null
    union all select locked_by from graphile_worker._private_job_queues where locked_at is not null
  ) held
  where not exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(held.locked_by, ${SEED})
  )
), jobs as (
  update graphile_worker._private_jobs j
  set locked_by = null, locked_at = null,
    max_attempts = case when j.attempts < ${ATTEMPTS_MOST} then j.max_attempts + 1 else j.max_attempts end
  from dead where j.locked_by = dead.locked_by
), queues as (
  update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
  from dead where q.locked_by = dead.locked_by
)
select array_agg(locked_by) as workers from dead having count(*) > 0`

export type Presence = {
  announce(worker: string): Promise<void>
  withdraw(workers: Iterable<string>): Promise<void>
  sweep(): Promise<void>
  close(): void
}

/**
 * Each worker holds an advisory lock while it lives. Jobs of workers without a lock are released at the start,
 * after each reconnect, and every 30 seconds in case another server node was killed. The connection of the locks
 * also listens for jobs.
 */
export async function watchWorkers(
  connection: JobsConnection,
  log: Log,
  hear: Listener['hear'],
): Promise<Presence> {
  /** First attempts to acquire the locks of this process's workers, by worker. */
  const workers = new Map<string, Promise<unknown>>()
  /** Session that holds the locks of all workers. */
  let holder: Tag | undefined

  // Acquires a shared lock, because the backend of a broken connection may still hold the worker's lock.
  const hold = (session: Tag, worker: string) =>
    session`select pg_advisory_lock_shared(hashtextextended(${worker}, ${SEED}))`
  // Does nothing without the session, because the workers of this process would then count as dead.
  const sweep = async () => {
    const [found] = (await holder?.unsafe<{ workers: string[] }[]>(FREE)) ?? []
    if (found) log.warn({ workers: found.workers }, 'released the jobs of dead workers')
  }
  const sweepLater = () => {
    sweep().catch((error) => log.warn({ err: error }, 'searching for dead workers failed'))
  }
  const stop = await listenOn(
    { config: { ...clientConfig(connection), connectionTimeoutMillis: CONNECT_MS } },
    ['jobs:insert', 'worker:migrate'],
    {
      hear,
      async onOpen(session) {
        for (const worker of workers.keys()) await hold(session, worker)
        holder = session
      },
      onListening: sweepLater,
      onLost() {
        holder = undefined
      },
    },
  )
  const timer = setInterval(sweepLater, SWEEP_MS).unref()

  return {
    async announce(worker) {
      // After a failure, the next connection acquires the lock.
      const locking = () => (holder ? hold(holder, worker).catch(() => {}) : Promise.resolve())
      if (!workers.has(worker)) workers.set(worker, locking())
      await workers.get(worker)
    },
    async withdraw(gone) {
      for (const worker of gone) workers.delete(worker)
      for (const worker of gone) {
        if (holder) await holder`select pg_advisory_unlock_shared(hashtextextended(${worker}, ${SEED}))`
      }
      await sweep()
    },
    sweep,
    close() {
      clearInterval(timer)
      stop()
    },
  }
}

const LOOK_MS = 10_000

type Locked = { id: string; attempts: number; locked_by: string }

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
    const { rows } = await pool.query<Locked>(
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
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch((error) => log.warn({ err: error }, 'searching for jobs that never started failed'))
      .finally(() => {
        isLooking = false
      })
  }, LOOK_MS).unref()

  return { events, close: () => clearInterval(timer) }
}
