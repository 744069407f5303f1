import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseAddress } from '#platform/database'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'
import { watchWorkers } from './dead-workers.ts'
import { addJob, runJobs, type TaskList } from './index.ts'

const { ctx, sql, connection } = await createWorld()
const run = (tasks: TaskList) => runJobs(connection, [{ concurrency: 1, tasks }], [], ctx.log)
const jobsOf = (task: string) => sql<{ locked_by: string | null; attempts: number }[]>`
  select locked_by, attempts from graphile_worker.jobs where task_identifier = ${task}`

const lock = (task: string, worker: string) => sql`
  with job as (
    update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now()
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${task}) returning job_queue_id
  )
  update graphile_worker._private_job_queues set locked_by = ${worker}, locked_at = now()
  where id in (select job_queue_id from job)`

/** Opens a node that sweeps only when the test calls `sweep`, unless `sweepMs` is set. */
async function openNode({ url = connection as DatabaseAddress, sweepMs = 600_000, log = ctx.log } = {}) {
  const pool = openJobsPool(url, 2)
  const hear = (payload: string, channel: string) => pool.listener.emit('notification', { channel, payload })
  const presence = await watchWorkers(pool, url, log, hear, sweepMs)
  const close = async () => {
    presence.close()
    await pool.end()
  }
  return { ...presence, pool, close }
}

async function openThroughMachine() {
  const machine = await openMachine(connection)
  const url = `postgres://${connection.user}@${machine.address}/${connection.database}`
  return { machine, url, node: await openNode({ url }) }
}

const holdersOf = async (worker: string) => {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_locks where locktype = 'advisory' and granted
      and (classid::bigint << 32) | objid::bigint = hashtextextended(${worker}, 4127003)`
  return rows.map(({ pid }) => pid)
}
const workersOf = async (task: string) => (await jobsOf(task)).map((job) => job.locked_by)

test('finds locked jobs through an index', async () => {
  const { user, host, port, database } = connection
  const url = `postgres://${user}@/${database}?host=${host}&port=${port}&options=-c%20enable_seqscan%3Doff`
  const node = await openNode({ url })
  await node.sweep()
  await node.close()
  const scans = async () => {
    const [row] = await sql`
      select idx_scan from pg_stat_user_indexes where indexrelname = 'kith_locked_jobs'`
    return Number(row?.idx_scan)
  }
  await until(async () => (await scans()) > 0, 'the scan of the index')
})

test('runs eight jobs at once over at most three connections', async () => {
  const backends = async () =>
    (
      await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`
    ).map(({ pid }) => pid)
  const before = new Set(await backends())
  for (let number = 0; number < 8; number += 1) await addJob(sql, 'waits', {})
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  let running = 0
  const waits = () => {
    running += 1
    return isOver
  }
  const runner = await runJobs(connection, [{ concurrency: 8, tasks: { waits } }], [], ctx.log)
  await until(() => running === 8, 'eight running jobs')
  const opened = (await backends()).filter((pid) => !before.has(pid))
  end()
  await runner.stop()
  assert.ok(opened.length <= 3, `${opened.length} connections`)
})

test('releases the jobs of killed workers but not of live ones', async () => {
  await addJob(sql, 'of_dead', {}, { queue: 'dead' })
  await addJob(sql, 'of_living', {}, { queue: 'living' })
  await lock('of_dead', 'pool-dead')
  await lock('of_living', 'pool-living')
  const living = await sql.reserve()
  await living`select pg_advisory_lock(hashtextextended('pool-living', 4127003))`
  const node = await openNode({ sweepMs: 20 })
  await until(async () => (await workersOf('of_dead'))[0] === null, 'the release of the jobs')
  await node.close()
  const done = Promise.withResolvers<void>()
  const runner = await run({ of_dead: () => done.resolve(), of_living: () => {} })
  await done.promise
  await runner.stop()
  assert.deepEqual(await workersOf('of_living'), ['pool-living'])
  living.release()
})

test('keeps the jobs of a live worker when its lock is missing for two sweeps', async () => {
  const { machine, node } = await openThroughMachine()
  await node.announce('pool-late')
  await addJob(sql, 'of_late', {}, { queue: 'late' })
  await lock('of_late', 'pool-late')
  machine.cut()
  await until(async () => (await holdersOf('pool-late')).length === 0, 'the end of the lock')
  const other = await openNode()
  await other.sweep()
  await other.sweep()
  machine.speak()
  await until(async () => (await holdersOf('pool-late')).length > 0, 'the lock of the new connection')
  for (let sweeps = 0; sweeps < 5; sweeps += 1) await other.sweep()
  assert.deepEqual(await workersOf('of_late'), ['pool-late'])
  await other.close()
  await node.close()
})

test('keeps the jobs of workers in the same process while the connection that holds their locks is down', async () => {
  const machine = await openMachine(connection)
  const url = `postgres://${connection.user}@${machine.address}/${connection.database}`
  const pool = openJobsPool(connection, 1)
  const presence = await watchWorkers(pool, url, ctx.log, () => {}, 600_000)
  await presence.announce('pool-own')
  await addJob(sql, 'of_own', {}, { queue: 'own' })
  await lock('of_own', 'pool-own')
  machine.cut()
  await until(async () => (await holdersOf('pool-own')).length === 0, 'the end of the lock')
  for (let sweeps = 0; sweeps < 5; sweeps += 1) await presence.sweep()
  assert.deepEqual(await workersOf('of_own'), ['pool-own'])
  presence.close()
  await pool.end()
})

test('announces a worker only when it holds its lock', async () => {
  const { machine, node } = await openThroughMachine()
  machine.cut()
  const announced = node.announce('pool-announced')
  setTimeout(machine.speak, 500)
  await announced
  assert.equal((await holdersOf('pool-announced')).length, 1)
  await node.close()
})

test('retries the lock of a worker when an attempt times out', async () => {
  const other = await sql.reserve()
  await other`select pg_advisory_lock(hashtextextended('pool-refused', 4127003))`
  const url = `postgres://${connection.user}@/${connection.database}?host=${connection.host}&port=${connection.port}&options=-c%20lock_timeout%3D50`
  const node = await openNode({ url })
  const announced = node.announce('pool-refused')
  await new Promise((resolve) => setTimeout(resolve, 200))
  await other`select pg_advisory_unlock_all()`
  await announced
  assert.equal((await holdersOf('pool-refused')).length, 1)
  other.release()
  await node.close()
})

test('keeps no lock of a worker that is withdrawn during a reconnect', async () => {
  const { machine, node } = await openThroughMachine()
  for (const worker of ['pool-withdrawn', 'pool-remaining']) await node.announce(worker)
  machine.cut()
  await until(async () => (await holdersOf('pool-remaining')).length === 0, 'the end of the locks')
  const other = await sql.reserve()
  await other`select pg_advisory_lock(hashtextextended('pool-remaining', 4127003))`
  machine.speak()
  await until(async () => (await holdersOf('pool-withdrawn')).length > 0, 'the lock of the new connection')
  await addJob(sql, 'of_withdrawn', {}, { queue: 'withdrawn' })
  await lock('of_withdrawn', 'pool-withdrawn')
  await node.withdraw(['pool-withdrawn'])
  assert.deepEqual(await workersOf('of_withdrawn'), [null])
  await other`select pg_advisory_unlock_all()`
  other.release()
  await until(async () => (await holdersOf('pool-withdrawn')).length === 0, 'the release of the lock')
  await until(async () => (await holdersOf('pool-remaining')).length > 0, 'the other lock')
  await node.close()
})

test('releases the jobs of a worker that was withdrawn while the database was down', async () => {
  const { machine, node } = await openThroughMachine()
  await node.announce('pool-down')
  await addJob(sql, 'of_down', {}, { queue: 'down' })
  await lock('of_down', 'pool-down')
  machine.cut()
  await assert.rejects(node.withdraw(['pool-down']))
  machine.speak()
  await until(async () => {
    await node.sweep().catch(() => {})
    return (await workersOf('of_down'))[0] === null
  }, 'the release of the job')
  await node.close()
})

test('searches for dead workers over a connection that holds no locks of workers', async () => {
  const node = await openNode()
  await node.announce('pool-listening')
  const other = await sql.reserve()
  await other`begin`
  await other`lock table graphile_worker._private_jobs`
  const swept = node.sweep()
  const blocked = () => sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%graphile_worker._private_jobs%'`
  await until(async () => (await blocked()).length > 0, 'the blocked search')
  const [search] = await blocked()
  assert.notEqual(search?.pid, (await holdersOf('pool-listening'))[0])
  await other`rollback`
  other.release()
  await swept
  await node.close()
})

test('repeats a job when its worker was killed during the last attempt', async () => {
  await addJob(sql, 'killed_at_last', {}, { maxAttempts: 2 })
  await addJob(sql, 'kills_always', {}, { maxAttempts: 2 })
  await lock('killed_at_last', 'pool-killed')
  await lock('kills_always', 'pool-killed')
  const spend = (task: string, attempts: number) => sql`
    update graphile_worker._private_jobs set attempts = ${attempts}, max_attempts = ${attempts}
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`
  await spend('killed_at_last', 2)
  await spend('kills_always', 32)
  const node = await openNode({ sweepMs: 20 })
  await until(async () => (await workersOf('kills_always'))[0] === null, 'the release of the jobs')
  await node.close()
  const done: string[] = []
  const runner = await run({
    killed_at_last: () => void done.push('killed at last'),
    kills_always: () => void done.push('kills always'),
  })
  await until(() => done.length > 0, 'the job that its last worker did not finish')
  await runner.stop()
  assert.deepEqual(done, ['killed at last'])
  assert.deepEqual([...(await jobsOf('kills_always'))], [{ locked_by: null, attempts: 32 }])
})

test('reports no dead worker when no job is locked', async () => {
  await addJob(sql, 'waiting', {}, { queue: 'nobody has it' })
  const told: unknown[] = []
  const log = { warn: (what: unknown) => void told.push(what) } as unknown as typeof ctx.log
  const node = await openNode({ log })
  for (let sweeps = 0; sweeps < 5; sweeps += 1) await node.sweep()
  await node.close()
  assert.deepEqual(told, [])
})

test('resumes a task that a stop interrupted', async () => {
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

test('counts an attempt of a task that fails while the runner stops', async () => {
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

test('notifies all runners of new jobs over one connection outside the pool', async () => {
  const { pool, close } = await openNode()
  const heard: string[] = []
  const listen = (name: string) =>
    pool.connect((_error, client) =>
      client.on('notification', ({ channel }) => heard.push(`${name} ${channel}`)),
    )
  for (const name of ['first', 'second']) listen(name)
  await addJob(sql, 'heard', {})
  await until(() => heard.length === 2, 'the notification of both runners')
  assert.deepEqual(heard, ['first jobs:insert', 'second jobs:insert'])
  assert.equal(pool.totalCount, 0)
  await close()
})

test('acquires the lock of a worker again after a reconnect', async () => {
  const { machine, node } = await openThroughMachine()
  await node.announce('pool-reconnected')
  const before = await holdersOf('pool-reconnected')
  assert.equal(before.length, 1)
  machine.cut()
  machine.speak()
  await until(
    async () => (await holdersOf('pool-reconnected')).some((pid) => !before.includes(pid)),
    'the lock of the new connection',
  )
  await node.close()
})

test('resumes jobs when the connections of the runner break at the end of a job', async () => {
  const machine = await openMachine(connection)
  const url = `postgres://${connection.user}@${machine.address}/${connection.database}`
  let cuts = 0
  const done: string[] = []
  const runner = await runJobs(
    url,
    [
      {
        concurrency: 1,
        tasks: {
          cut_off() {
            done.push('cut off')
            if (cuts++ > 0) return
            machine.cut()
            setTimeout(machine.speak, 500)
          },
          after_cut: () => void done.push('after'),
        },
      },
    ],
    [],
    ctx.log,
  )
  await addJob(sql, 'cut_off', {}, { queue: 'cut' })
  await addJob(sql, 'after_cut', {}, { queue: 'cut' })
  await until(() => done.includes('after'), 'the next job of the queue')
  assert.deepEqual(done, ['cut off', 'cut off', 'after'])
  await until(async () => (await jobsOf('after_cut')).length === 0, 'its end')
  await runner.stop()
})

test('resumes jobs when a restarted runner connected to a standby before its promotion', async () => {
  const machine = await openMachine(connection)
  const url = `postgres://${connection.user}@${machine.address}/${connection.database}`
  const warnings: string[] = []
  const log = {
    ...ctx.log,
    warn: (_what: object, text: string) => void warnings.push(text),
  } as typeof ctx.log
  /** Affects only sessions that open after this change. */
  const setReadOnly = (isReadOnly: boolean) =>
    sql.begin(async (tx) => {
      await tx`set transaction read write`
      await tx.unsafe(
        `alter database "${connection.database}" ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
      )
    })
  const done: string[] = []
  const runner = await runJobs(
    url,
    [
      {
        concurrency: 2,
        tasks: {
          async cut_before_promotion() {
            done.push('cut off')
            if (done.length > 1) return
            await setReadOnly(true)
            machine.cut()
            machine.speak()
          },
          after_promotion: () => void done.push('after'),
        },
      },
    ],
    [],
    log,
  )
  try {
    await addJob(sql, 'cut_before_promotion', {}, { queue: 'promotion' })
    await until(() => warnings.includes('the job runner is stuck with an error'), 'the stuck runner')
  } finally {
    await setReadOnly(false)
  }
  await addJob(sql, 'after_promotion', {})
  await until(() => done.includes('after'), 'a job after the promotion')
  await runner.stop()
})

test('resumes jobs when all connections of the runner stop responding', async () => {
  const machine = await openMachine(connection)
  const url = `postgres://${connection.user}@${machine.address}/${connection.database}`
  // Collects jobs in a Set, because a job whose completion was lost runs twice.
  const done = new Set<string>()
  const task = (payload: unknown) => void done.add((payload as { job: string }).job)
  const runner = await runJobs(url, [{ concurrency: 2, tasks: { through_proxy: task } }], [], ctx.log)
  await addJob(sql, 'through_proxy', { job: 'first' })
  await until(() => done.has('first'), 'the first job')
  machine.silence()
  machine.speak()
  await addJob(sql, 'through_proxy', { job: 'second' })
  await until(() => done.has('second'), 'the second job')
  await until(() => machine.silent() === 0, 'the end of every silent connection')
  await runner.stop()
})

test('releases a job that a live worker locked but never started', async () => {
  const done: string[] = []
  let worker = ''
  const runner = await run({
    async begun() {
      worker = (await jobsOf('begun'))[0]?.locked_by ?? ''
      await until(() => done.includes('never began'), 'the job without an answer')
      done.push('begun')
    },
    never_began: () => void done.push('never began'),
  })
  await addJob(sql, 'begun', {})
  await until(() => worker !== '', 'a worker at work')
  const other = await run({ begun() {}, never_began: () => void done.push('never began') })
  await sql.begin(async (tx) => {
    await addJob(tx, 'never_began', {}, { queue: 'never began', maxAttempts: 1 })
    await tx`
      with job as (
        update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now(), attempts = 1
        where task_id = (select id from graphile_worker._private_tasks where identifier = 'never_began')
        returning job_queue_id
      )
      update graphile_worker._private_job_queues set locked_by = ${worker}, locked_at = now()
      where id in (select job_queue_id from job)`
  })
  await until(() => done.includes('begun'), 'the job that its worker held meanwhile')
  assert.deepEqual(done, ['never began', 'begun'])
  await runner.stop()
  await other.stop()
})

test('does not close a connection while the database runs its statement', async () => {
  const finished = Promise.withResolvers<unknown>()
  await addJob(sql, 'slow', {})
  const runner = await run({
    slow: (_payload, { query }) => query('select pg_sleep(12)').then(finished.resolve, finished.resolve),
  })
  const result = await finished.promise
  await runner.stop()
  assert.equal((result as { rowCount?: number }).rowCount, 1, String(result))
})

test('logs an error for a job that failed permanently, and a warning for one that runs again', async (t) => {
  const lines: [string, string | undefined][] = []
  for (const level of ['warn', 'error'] as const)
    t.mock.method(ctx.log, level, (line: { task?: string }) => void lines.push([level, line.task]))
  const running = await run({
    async fail_twice() {
      throw new Error('no luck')
    },
  })
  await addJob(sql, 'fail_twice', {}, { maxAttempts: 2 })
  await until(() => lines.length > 0, 'a warning')
  assert.deepEqual(lines.splice(0), [['warn', undefined]])
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await until(() => lines.some(([level]) => level === 'error'), 'an error')
  assert.deepEqual(lines, [
    ['error', 'fail_twice'],
    ['warn', undefined],
  ])
  await running.stop()
})
