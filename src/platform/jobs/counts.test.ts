import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'
import { countJobs, deleteFailedJobs, findJobsState } from './counts.ts'
import { addJob } from './jobs.ts'

const { connection, sql } = await createWorld()

async function job(
  task: string,
  key: string,
  { delay = 0, due = 0, isLocked = false, isSpent = false, days = 0 } = {},
) {
  await addJob(sql, task, {}, { key, delaySeconds: delay, maxAttempts: 3 })
  await sql`
    update graphile_worker._private_jobs set
      run_at = run_at - make_interval(secs => ${due}),
      attempts = ${isSpent ? 3 : 0},
      locked_by = ${isLocked ? 'somebody' : null},
      locked_at = case when ${isLocked} then now() end,
      last_error = ${`fault of ${key}`},
      updated_at = now() - make_interval(days => ${days})
    where key = ${key}`
}

test('counts each job in exactly one state', async () => {
  await job('later', 'for later', { delay: 3600 })
  assert.equal((await findJobsState(sql)).due_since, null)
  await job('mixed', 'due', { due: 100 })
  await job('mixed', 'next hour', { delay: 3600 })
  await job('mixed', 'in hand', { due: 5000, isLocked: true })
  await job('mixed', 'in hand for the last time', { due: 5000, isLocked: true, isSpent: true, days: 20 })
  await job('mixed', 'just in hand for the last time', { due: 5000, isLocked: true, isSpent: true })
  await job('mixed', 'failed', { due: 5000, isSpent: true, days: 20 })
  await job('mixed', 'failed later', { due: 5000, isSpent: true, days: 1 })
  const counts = Object.fromEntries((await countJobs(sql)).map(({ task, ...counted }) => [task, counted]))
  assert.deepEqual(counts.later, { due: 0, later: 1, running: 0, failed: 0, oldest: 0 })
  const { oldest = 0, ...mixed } = counts.mixed ?? {}
  assert.deepEqual(mixed, { due: 1, later: 1, running: 3, failed: 2 })
  assert.ok(oldest >= 99 && oldest < 4000, `due for ${oldest} s`)
  const { due_since, failed_at, ...state } = await findJobsState(sql)
  assert.deepEqual(state, { due: 1, running: 3, failed: 2, fault: 'mixed: fault of failed later' })
  const [first] = await sql<[{ at: string }]>`
    select run_at as at from graphile_worker._private_jobs where key = 'due'`
  assert.equal(due_since, first.at)
  assert.ok(failed_at)
})

test('deletes old failed jobs but no running job', async () => {
  assert.equal((await findJobsState(sql)).failed, 2)
  const other = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000, lockTimeoutMs: 500 })
  await transaction(sql, async (tx) => {
    await tx`select from graphile_worker._private_jobs where key = 'failed' for update`
    assert.equal(await deleteFailedJobs(other, 10, 100), 0)
  })
  assert.equal(await deleteFailedJobs(other, 10, 100), 1)
  assert.equal((await findJobsState(sql)).failed, 1)
  assert.equal((await sql`select from graphile_worker._private_jobs`).length, 7)
  await other.end()
})
