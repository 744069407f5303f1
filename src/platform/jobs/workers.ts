import { type JobHelpers, Logger, type Runner, run, type TaskList } from 'graphile-worker'
import type { JobsConnection } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { openJobsPool } from './connection.ts'
import { type Presence, watchWorkers } from './dead-workers.ts'

/** A task that runs by the clock: `pattern` is a crontab line's five fields, UTC. Missed runs are not made up for. */
export type Schedule = { task: string; pattern: string }

/** Tasks with workers of their own, so that they delay none but each other. */
export type Crew = { concurrency: number; tasks: TaskList }

const POLL_MS = 2000
/** What observes its signal is interrupted so long after a stop has begun; the rest is waited for a little longer. */
const ABORT_MS = 100
const STOP_MS = 5000

/** Makes tasks that were interrupted go on later in a job of their own: they keep how far they came. */
function resumable(tasks: TaskList): TaskList {
  const goOnLater = async ({ job, addJob, getQueueName }: JobHelpers) => {
    const queueName = job.job_queue_id === null ? null : await getQueueName()
    await addJob(job.task_identifier, job.payload, {
      maxAttempts: job.max_attempts,
      ...(queueName === null ? {} : { queueName }),
      ...(job.key === null ? {} : { jobKey: job.key }),
    })
  }
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload: unknown, helpers: JobHelpers) => {
        try {
          return await task?.(payload as never, helpers)
        } catch (error) {
          if (!helpers.abortSignal.aborted || error !== helpers.abortSignal.reason) throw error
          await goOnLater(helpers)
        }
      },
    ]),
  )
}

/** Announces each worker before it takes its first job. */
const announcing = (presence: Presence) => ({
  name: 'AnnounceWorker',
  version: '1.0.0',
  worker: {
    hooks: {
      startWorker: (_context: unknown, event: { worker: { workerPool: { id: string } } }) =>
        presence.announce(event.worker.workerPool.id),
    },
  },
})

/**
 * Runs jobs until stopped. Stopping interrupts what can go on later and waits a little for the rest; what is still in
 * hand then is given back by the next start.
 */
export async function runJobs(
  connection: JobsConnection,
  crews: Crew[],
  schedules: Schedule[],
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  // Each crew listens on one, the process is present on another, and the rest takes and completes jobs.
  const pgPool = openJobsPool(connection, crews.length + 5)
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ job: message }, 'job')
  })
  const presence = watchWorkers(pgPool, log)
  const runners: Runner[] = []
  const stop = async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS)
    })
    await Promise.race([Promise.all(runners.map((runner) => runner.stop())), late])
    clearTimeout(timer)
    await presence.close()
    await Promise.race([pgPool.end(), new Promise((resolve) => setTimeout(resolve, 500).unref())])
  }
  try {
    await presence.sweep()
    for (const [index, { concurrency, tasks }] of crews.entries()) {
      const runner = await run({
        pgPool,
        taskList: resumable(tasks),
        crontab: index > 0 ? '' : schedules.map(({ pattern, task }) => `${pattern} ${task}`).join('\n'),
        concurrency,
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: ABORT_MS,
        pollInterval: POLL_MS,
        logger,
        preset: {
          plugins: [announcing(presence)],
          // In batches, even of one: a stop waits until these are written, and for nothing else.
          worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        },
      })
      runner.promise.catch((error) => log.error({ err: error }, 'the job runner ended'))
      runners.push(runner)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}
