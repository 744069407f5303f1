import { Logger, runMigrations, runOnce, type TaskList } from 'graphile-worker'
import type { Db } from '#platform/database.ts'
import { openJobsPool } from './jobs/connection.ts'

/** How to reach the database for the job runner, which has a small pool of its own. */
export type JobsConnection = string | { host: string; port: number; user: string; database: string }

export type JobOptions = {
  /** Not before this many seconds from now. */
  delaySeconds?: number
  maxAttempts?: number
  /** One waiting job for each key; a second one replaces it. */
  key?: string
  /** Jobs of one queue run one after the other. */
  queue?: string
}

/** Adds a job in the caller's transaction: it exists if and only if the transaction commits. The payload holds ids. */
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

/** Creates or upgrades the tables of the job queue. */
export async function migrateJobs(connection: JobsConnection): Promise<void> {
  const pgPool = openJobsPool(connection, 1)
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

/** Runs what is waiting now, and what that adds, then returns. */
export async function runWaitingJobs(connection: JobsConnection, tasks: TaskList): Promise<void> {
  const pgPool = openJobsPool(connection, 2)
  try {
    await runOnce({ pgPool, taskList: tasks, noHandleSignals: true, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

export { type Crew, runJobs, type Schedule } from './jobs/workers.ts'
export type { TaskList }
