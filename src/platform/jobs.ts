import { Logger, type Runner, run, runMigrations, runOnce, type TaskList } from 'graphile-worker'
import pg from 'pg'
import type { Db } from '#platform/database.ts'
import type { Log } from '#platform/log.ts'

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

function pool(connection: JobsConnection, max: number) {
  const made = new pg.Pool({
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    max,
  })
  // Without a handler a lost idle connection ends the process; the runner opens another by itself.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

/** Creates or upgrades the tables of the job queue. */
export async function migrateJobs(connection: JobsConnection): Promise<void> {
  const pgPool = pool(connection, 1)
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

/** A task that runs by the clock: `pattern` is a crontab line's five fields, UTC. Missed runs are not made up for. */
export type Schedule = { task: string; pattern: string }

/** Runs jobs until stopped; stopping lets the ones in hand finish. */
export async function runJobs(
  connection: JobsConnection,
  tasks: TaskList,
  schedules: Schedule[],
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const pgPool = pool(connection, 4)
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ job: message }, 'job')
  })
  const runner: Runner = await run({
    pgPool,
    taskList: tasks,
    crontab: schedules.map(({ pattern, task }) => `${pattern} ${task}`).join('\n'),
    concurrency: 3,
    noHandleSignals: true,
    pollInterval: 2000,
    logger,
  })
  return {
    async stop() {
      await runner.stop()
      await pgPool.end()
    },
  }
}

/** Runs what is waiting now, and what that adds, then returns. */
export async function runWaitingJobs(connection: JobsConnection, tasks: TaskList): Promise<void> {
  const pgPool = pool(connection, 2)
  try {
    await runOnce({ pgPool, taskList: tasks, noHandleSignals: true, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

export type { TaskList }
