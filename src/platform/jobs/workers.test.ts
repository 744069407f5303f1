import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob, runJobs, type TaskList } from '#platform/jobs.ts'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'
import { watchWorkers } from './dead-workers.ts'

const { ctx, sql, connection } = await createWorld()
const run = (tasks: TaskList) => runJobs(connection, [{ concurrency: 1, tasks }], [], ctx.log)
const jobsOf = (task: string) => sql<{ locked_by: string | null; attempts: number }[]>`
  select locked_by, attempts from graphile_worker.jobs where task_identifier = ${task}`

/** Marks a job, and its queue, as one that a worker has in hand. */
const lock = (task: string, worker: string) => sql`
  with job as (
    update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now()
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${task}) returning job_queue_id
  )
  update graphile_worker._private_job_queues set locked_by = ${worker}, locked_at = now()
  where id in (select job_queue_id from job)`

test('a start gives back what killed workers held, their queues too, and nothing of those that live', async () => {
  await addJob(sql, 'of_dead', {}, { queue: 'dead' })
  await addJob(sql, 'of_living', {}, { queue: 'living' })
  await lock('of_dead', 'pool-dead')
  await lock('of_living', 'pool-living')
  const living = await sql.reserve()
  await living`select pg_advisory_lock(hashtextextended('pool-living', 4127003))`
  const done = Promise.withResolvers<void>()
  const runner = await run({ of_dead: () => done.resolve(), of_living: () => {} })
  // At the start, and not only when the next look for dead workers is due.
  assert.equal((await jobsOf('of_dead')).filter((job) => job.locked_by === 'pool-dead').length, 0)
  await done.promise
  await runner.stop()
  assert.deepEqual(
    (await jobsOf('of_living')).map((job) => job.locked_by),
    ['pool-living'],
  )
  living.release()
})

test('jobs and queues that nobody holds are not given back', async () => {
  await addJob(sql, 'waiting', {}, { queue: 'nobody has it' })
  const pool = openJobsPool(connection, 1)
  const told: unknown[] = []
  const log = { warn: (what: unknown) => void told.push(what) } as unknown as typeof ctx.log
  const presence = watchWorkers(pool, log)
  await presence.sweep()
  await presence.close()
  await pool.end()
  assert.deepEqual(told, [])
})

test('a task that observes its signal ends with the runner, and goes on with the next one', async () => {
  let steps = 0
  const started = Promise.withResolvers<void>()
  await addJob(sql, 'long', { kept: 1 }, { queue: 'long', key: 'long:1', maxAttempts: 3 })
  const first = await run({
    async long(_payload, { abortSignal }) {
      for (;;) {
        steps += 1
        started.resolve()
        abortSignal.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  })
  await started.promise
  await first.stop()
  const [job, ...others] = await sql`
    select j.queue_name, j.key, j.max_attempts, j.attempts, j.locked_by, p.payload from graphile_worker.jobs j
    join graphile_worker._private_jobs p using (id) where j.task_identifier = 'long'`
  assert.equal(others.length, 0)
  assert.deepEqual(job, {
    queue_name: 'long',
    key: 'long:1',
    max_attempts: 3,
    attempts: 0,
    locked_by: null,
    payload: { kept: 1 },
  })
  const finished = Promise.withResolvers<unknown>()
  const second = await run({ long: (payload) => finished.resolve(payload) })
  assert.deepEqual(await finished.promise, { kept: 1 })
  await second.stop()
  assert.ok(steps > 0)
  assert.deepEqual([...(await jobsOf('long'))], [])
})

test('a task that fails while the runner stops is a failure like any other', async () => {
  await addJob(sql, 'failing', {}, { maxAttempts: 3 })
  const begun = Promise.withResolvers<void>()
  const runner = await run({
    async failing(_payload, { abortSignal }) {
      begun.resolve()
      await new Promise((resolve) => abortSignal.addEventListener('abort', resolve))
      throw new Error('for a reason of its own')
    },
  })
  await begun.promise
  await runner.stop()
  assert.deepEqual([...(await jobsOf('failing'))], [{ locked_by: null, attempts: 1 }])
})

test('a connection that the runner gives back twice is taken back once', async () => {
  const pool = openJobsPool(connection, 1)
  const held = () =>
    new Promise<() => void>((resolve, reject) =>
      pool.connect((error, _client, release) => (error ? reject(error) : resolve(release))),
    )
  const release = await held()
  release()
  release()
  const other = await held()
  // The one who has it now keeps it.
  release()
  assert.equal(pool.idleCount, 0)
  other()
  assert.equal(pool.idleCount, 1)
  await pool.end()
})
