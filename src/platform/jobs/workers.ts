import {
  type JobHelpers,
  Logger,
  type Runner,
  type RunnerOptions,
  run,
  type TaskList,
  type WorkerEventMap,
  type WorkerEvents,
} from 'graphile-worker'
import pTimeout from 'p-timeout'
import { messageOf } from '#lib/faults.ts'
import { createWriterScope, type DatabaseAddress, isConnectionError, runInScope } from '#platform/database'
import { type Log, redactText } from '#platform/observability'
import { openJobsPool } from './connection.ts'
import { type Presence, watchLostJobs, watchWorkers } from './dead-workers.ts'
import { runSchedules, type Schedule } from './schedules.ts'
import { destroySilent } from './silent-connections.ts'

/** Tasks with their own workers, so that slow tasks of one group do not delay another group. */
export type WorkerGroup = { concurrency: number; tasks: TaskList }

/** Few, because the runners only fetch and complete jobs. Statements of the tasks use another pool. */
const CONNECTIONS = 2
/** graphile-worker warns of a pool with fewer connections than concurrent jobs. */
const POOL_WARNING = /having maxPoolSize/
const POLL_MS = 2000
const RESTART_MS = 1000
/** Delay in milliseconds before a stop aborts the tasks that observe the abort signal. */
const ABORT_MS = 100
const STOP_MS = 5000
const POOL_END_MS = 500

/** Enqueues an aborted task again. The task then continues from its stored progress. */
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
          return await runInScope(createWriterScope(), () => task?.(payload as never, helpers))
        } catch (error) {
          if (!helpers.abortSignal.aborted || error !== helpers.abortSignal.reason) throw error
          await goOnLater(helpers)
        }
      },
    ]),
  )
}

const announcing = (presence: Presence, announced: Set<string>) => ({
  name: 'AnnounceWorker',
  version: '1.0.0',
  worker: {
    hooks: {
      startWorker: (_context: unknown, event: { worker: { workerPool: { id: string } } }) => {
        announced.add(event.worker.workerPool.id)
        return presence.announce(event.worker.workerPool.id)
      },
    },
  },
})

/**
 * Calls `onStuck` when a worker fails twice with the same error object. graphile-worker caches a failed task
 * lookup forever, such as one that a standby rejected before its promotion.
 */
function watchStuck(events: WorkerEvents, pools: Set<string>, onStuck: (error: unknown) => void): () => void {
  const last = new WeakMap<object, unknown>()
  const onFailed = ({ worker, error }: WorkerEventMap['worker:getJob:error']) => {
    if (!pools.has(worker.workerPool.id)) return
    if (last.get(worker) === error) onStuck(error)
    last.set(worker, error)
  }
  events.on('worker:getJob:error', onFailed)
  return () => void events.off('worker:getJob:error', onFailed)
}

/**
 * Restarts a runner that is stuck or ends by itself. A runner ends by itself when the database is
 * unreachable as a job finishes.
 */
async function keepRunning(
  options: RunnerOptions & { events: WorkerEvents },
  presence: Presence,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  let isOver = false
  let runner: Runner | undefined
  let timer: NodeJS.Timeout | undefined
  const start = async () => {
    const announced = new Set<string>()
    const started = await run({
      ...options,
      preset: { ...options.preset, plugins: [announcing(presence, announced)] },
    })
    runner = started
    if (isOver) return started.stop()
    const unwatch = watchStuck(options.events, announced, (error) => {
      unwatch()
      log.warn({ err: error }, 'the job runner is stuck with an error')
      started.stop().catch(() => {})
    })
    const onEnd = (error?: unknown) => {
      unwatch()
      if (isOver) return
      log.warn({ err: error }, 'the job runner stopped: starting another one')
      presence.withdraw([...announced]).catch(() => {})
      startLater()
    }
    started.promise.then(onEnd, onEnd)
  }
  const startLater = () => {
    timer = setTimeout(() => void start().catch(startLater), RESTART_MS)
  }
  await start()
  return {
    async stop() {
      isOver = true
      clearTimeout(timer)
      await runner?.stop().catch(() => {})
    },
  }
}

/**
 * When stopped, aborts resumable tasks and waits briefly for the rest. Jobs that are still running then stay
 * locked until the sweeps of another worker release them.
 */
export async function runJobs(
  connection: DatabaseAddress,
  crews: WorkerGroup[],
  schedules: Schedule[],
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const pgPool = openJobsPool(connection, CONNECTIONS)
  destroySilent(pgPool, connection)
  const logger = new Logger(() => (level, message, meta) => {
    if (POOL_WARNING.test(message) || (level !== 'error' && level !== 'warning')) return
    // An outage of the database has its own line. A job may also have failed because a mail server is away.
    const isOutage = meta?.job === undefined && isConnectionError(meta?.error)
    log[isOutage ? 'debug' : 'warn']({ job: redactText(message) }, 'job')
  })
  const presence = await watchWorkers(pgPool, connection, log, (payload, channel) => {
    pgPool.listener.emit('notification', { channel, payload })
  })
  const lostJobs = watchLostJobs(pgPool, log)
  lostJobs.events.on('job:failed', ({ job, error }) => {
    log.error(
      { task: job.task_identifier, job: job.id, fault: redactText(messageOf(error)) },
      'a job failed permanently',
    )
  })
  const runners: { stop(): Promise<void> }[] = []
  let scheduler: { close(): void } | undefined
  const stop = async () => {
    scheduler?.close()
    const stopped = Promise.all(runners.map((runner) => runner.stop()))
    await pTimeout(stopped, { milliseconds: STOP_MS, message: false })
    lostJobs.close()
    presence.close()
    await pTimeout(pgPool.end(), { milliseconds: POOL_END_MS, message: false })
  }
  try {
    await presence.sweep()
    for (const { concurrency, tasks } of crews) {
      const options = {
        pgPool,
        taskList: resumable(tasks),
        crontab: '',
        concurrency,
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: ABORT_MS,
        pollInterval: POLL_MS,
        logger,
        events: lostJobs.events,
        // Enables batches of completed jobs without a delay. Without batches, a stop would not wait until
        // PostgreSQL has recorded the completed jobs.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      }
      runners.push(await keepRunning(options, presence, log))
    }
    scheduler = runSchedules(pgPool, schedules, log)
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}
