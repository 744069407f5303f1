import { Logger, runMigrations, runOnce, type TaskList } from 'graphile-worker'
import type { Db } from '#platform/database'
import { type JobsConnection, openJobsPool } from './connection.ts'

export type JobOptions = {
  delaySeconds?: number
  maxAttempts?: number
  /** Unique among waiting jobs. A second job with the key replaces the first. */
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

export async function migrateJobs(connection: JobsConnection): Promise<void> {
  const pgPool = openJobsPool(connection, 1)
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

export async function runWaitingJobs(connection: JobsConnection, tasks: TaskList): Promise<void> {
  const pgPool = openJobsPool(connection, 2)
  try {
    await runOnce({ pgPool, taskList: tasks, noHandleSignals: true, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}
