import type pg from 'pg'
import type { Log } from '#platform/log.ts'

/** Any number that no other advisory lock of ours is made of. */
const SEED = 4_127_003
const SWEEP_MS = 30_000
const RETRY_MS = 500

/** Gives back the jobs and queues of workers that hold no lock of their own any more: they were killed. */
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
)
select graphile_worker.force_unlock_workers(array_agg(locked_by)), array_agg(locked_by) as workers
from dead having count(*) > 0`

export type Presence = {
  /** Resolves once every other worker can see that this one lives. */
  announce(worker: string): Promise<void>
  /** Gives back what dead workers held, now. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/**
 * Each worker holds an advisory lock as long as it lives, over one connection of the process. What is locked by a worker
 * without its lock is free again: at the start, and every half minute in case another node was killed.
 */
export function watchWorkers(pool: pg.Pool, log: Log): Presence {
  const workers = new Set<string>()
  let isClosed = false
  let holder: Promise<pg.PoolClient> | undefined

  // One statement after the other: the driver takes no second one while the first is under way.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  const hold = (client: pg.PoolClient, worker: string) =>
    client.query('select pg_advisory_lock(hashtextextended($1, $2))', [worker, SEED])

  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect()
    client.once('error', (error) => {
      client.release(error)
      holder = undefined
      if (!isClosed) setTimeout(() => void inTurn(held).catch(() => {}), RETRY_MS).unref()
    })
    for (const worker of workers) await hold(client, worker)
    return client
  }
  const held = (): Promise<pg.PoolClient> => {
    holder ??= connect().catch((error) => {
      holder = undefined
      throw error
    })
    return holder
  }
  const sweep = () =>
    inTurn(async () => {
      // While its own locks are lost a worker cannot tell others from dead ones, nor be told.
      const client = await held()
      const { rows } = await client.query<{ workers: string[] }>(FREE)
      if (rows[0]) log.warn({ workers: rows[0].workers }, 'gave back the jobs of workers that are gone')
    })
  const timer = setInterval(() => {
    sweep().catch((error) => log.warn({ err: error }, 'looking for dead workers'))
  }, SWEEP_MS).unref()

  return {
    announce: (worker) =>
      inTurn(async () => {
        if (workers.has(worker)) return
        await hold(await held(), worker)
        workers.add(worker)
      }),
    sweep,
    async close() {
      isClosed = true
      clearInterval(timer)
      const client = await holder?.catch(() => undefined)
      client?.release(true)
    },
  }
}
