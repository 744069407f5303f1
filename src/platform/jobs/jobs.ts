import { Logger, runMigrations, runOnce, type TaskList } from 'graphile-worker'
import type { DatabaseAddress, Db } from '#platform/database'
import { openJobsPool } from './connection.ts'

export type JobOptions = {
  delaySeconds?: number
  maxAttempts?: number
  /** Unique among waiting jobs. A second job with the same key replaces the first. */
  key?: string
  queue?: string
}

/** Enqueues a job in the caller's transaction, so that a rollback removes the job too. */
export async function addJob(db: Db, task: string, payload: object, options: JobOptions = {}): Promise<void> {
  await db`select graphile_worker.add_job(
    ${task},
    payload => ${db.json(payload as never)}::json,
    queue_name => ${options.queue ?? null},
    run_at => now() + make_interval(secs => ${options.delaySeconds ?? 0}),
    max_attempts => ${options.maxAttempts ?? 12},
    job_key => ${options.key ?? null}
  )`
}

/** Adds one job for each payload with a single statement. */
export async function addJobs(db: Db, task: string, payloads: readonly object[]): Promise<void> {
  if (payloads.length === 0) return
  await db`
    select graphile_worker.add_job(${task}, payload => p.value::json, max_attempts => 12)
    from jsonb_array_elements(${db.json(payloads as never)}) as p (value)`
}

/** Index of locked jobs for the sweeps of `dead-workers.ts`, which otherwise read the whole queue. */
const LOCKED_INDEX = `
create index if not exists kith_locked_jobs on graphile_worker._private_jobs (locked_by)
where locked_by is not null`

/** Returns whether `migrateJobs` has finished once, because it creates the index last. */
export async function hasJobQueue(db: Db): Promise<boolean> {
  const [index] = await db`select to_regclass('graphile_worker.kith_locked_jobs') as present`
  return index?.present !== null
}

export async function migrateJobs(connection: DatabaseAddress): Promise<void> {
  await using pgPool = openJobsPool(connection, 1)
  await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
  await pgPool.query(LOCKED_INDEX)
}

/** Runs due jobs until none is left. Repeats, because `runOnce` may end before it sees the last job of a queue. */
export async function runWaitingJobs(connection: DatabaseAddress, taskList: TaskList): Promise<void> {
  await using pgPool = openJobsPool(connection, 2)
  const isAnyDue = async () => {
    const { rows } = await pgPool.query(
      `select from graphile_worker.jobs where locked_at is null and run_at <= now() and attempts < max_attempts
       and task_identifier = any($1) limit 1`,
      [Object.keys(taskList)],
    )
    return rows.length > 0
  }
  do await runOnce({ pgPool, taskList, noHandleSignals: true, logger: new Logger(() => () => {}) })
  while (await isAnyDue())
}
