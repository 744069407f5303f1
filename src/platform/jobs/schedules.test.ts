import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'
import { createSchedules, longestGap, sinceLastSchedule } from './schedules.ts'

const MINUTE = 60_000

async function openScheduler() {
  const { sql, connection } = await createWorld()
  const pool = openJobsPool(connection, 1)
  const [{ ms }] = await sql<[{ ms: number }]>`
    select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as ms`
  let minute = ms
  const warnings: unknown[] = []
  const node = ({ deletes, skewMs = 0 }: { deletes?: true; skewMs?: number } = {}) =>
    createSchedules(pool, [{ task: 'ticks ?max=3', pattern: '* * * * *', ...(deletes ? { deletes } : {}) }], {
      now: async () => ({ minute, msToNext: 1000, skewMs }),
      log: { warn: (...line: unknown[]) => void warnings.push(line[0]) } as never,
    })
  const jobs = async () =>
    (
      await sql<{ max_attempts: number; due: boolean }[]>`
        select max_attempts, run_at <= now() as due from graphile_worker.jobs where task_identifier = 'ticks'`
    ).map(({ max_attempts, due }) => [max_attempts, due])
  const pass = (minutes: number) => {
    minute += minutes * MINUTE
  }
  return { sql, node, jobs, pass, warnings, close: () => pool.end() }
}

test('enqueues a scheduled job once a minute on all nodes together', async () => {
  const { node, jobs, pass, close } = await openScheduler()
  const nodes = [node(), node()]
  pass(-3)
  for (const { look } of nodes) await look()
  assert.deepEqual(await jobs(), [])
  for (const count of [1, 2]) {
    pass(1)
    await Promise.all(nodes.map(({ look }) => look()))
    assert.deepEqual(await jobs(), Array(count).fill([3, true]))
  }
  pass(1)
  await nodes[0]?.look()
  await nodes[0]?.look()
  assert.equal((await jobs()).length, 3)
  await close()
})

test('runs schedules whose last run lies in the future, because a clock was ahead', async () => {
  const { sql, node, jobs, pass, close } = await openScheduler()
  const { look } = node()
  pass(-1)
  await look()
  await sql`
    insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    values ('ticks', now(), now() + interval '2 days')`
  assert.equal(await sinceLastSchedule(sql), null)
  pass(1)
  await look()
  assert.equal((await jobs()).length, 1)
  assert.ok(Number(await sinceLastSchedule(sql)) < 120)
  await close()
})

test('enqueues no deletion while the clocks of node and database differ by more than an hour', async () => {
  const { node, jobs, pass, warnings, close } = await openScheduler()
  pass(-4)
  const ahead = node({ deletes: true, skewMs: 61 * MINUTE })
  const behind = node({ deletes: true, skewMs: -61 * MINUTE })
  const other = node({ skewMs: 61 * MINUTE })
  const right = node({ deletes: true, skewMs: 59 * MINUTE })
  for (const { look } of [ahead, behind, other, right]) await look()
  for (const [{ look }, count] of [
    [ahead, 0],
    [behind, 0],
    [other, 3],
    [right, 4],
  ] as const) {
    pass(1)
    await look()
    assert.equal((await jobs()).length, count)
  }
  assert.deepEqual(warnings.slice(0, 2), [
    { seconds: 3660, tasks: ['ticks'] },
    { seconds: -3660, tasks: ['ticks'] },
  ])
  await close()
})

test('goes on after the clock of the database jumped in either direction', async () => {
  const { node, jobs, pass, close } = await openScheduler()
  const { look } = node()
  pass(-5000)
  await look()
  pass(4000)
  await look()
  assert.equal((await jobs()).length, 1)
  pass(-2000)
  await look()
  pass(3)
  await look()
  assert.equal((await jobs()).length, 4)
  pass(2990)
  await look()
  pass(1)
  await look()
  assert.equal((await jobs()).length, 6)
  await close()
})

test('runs jobs whose times lie in the future, because the clock of the database was ahead', async () => {
  const { sql, node, pass, close } = await openScheduler()
  await sql`
    select graphile_worker.add_job(name, job_key => name, run_at => now() + delay, max_attempts => 12)
    from (values ('new', interval '3 s'), ('failed', '0 s'), ('retried', '0 s'), ('later', '9 h'), ('delayed', '9 h'))
      as t (name, delay)`
  const ahead = (names: string[]) => sql`
    update graphile_worker._private_jobs set run_at = run_at + interval '2 days', created_at = created_at + interval '2 days',
      updated_at = updated_at + interval '2 days'
    where key = any(${names})`
  const late = async () =>
    (
      await sql<{ key: string }[]>`
        select key from graphile_worker.jobs where run_at > now() + interval '1 minute' order by key`
    ).map(({ key }) => key)
  await ahead(['new', 'failed', 'delayed'])
  // A failed job keeps the times of its creation.
  await sql`
    update graphile_worker._private_jobs set attempts = 1, created_at = now(), updated_at = now() where key = 'failed'`
  await sql`
    update graphile_worker._private_jobs set attempts = 9, run_at = now() + interval '6 hours' where key = 'retried'`
  // A later job with the same key keeps the time of the waiting one.
  await sql`select graphile_worker.add_job('new', job_key => 'new', job_key_mode => 'preserve_run_at')`
  assert.deepEqual(await late(), ['delayed', 'failed', 'later', 'new', 'retried'])
  const { look } = node()
  await look()
  assert.deepEqual(await late(), ['delayed', 'later', 'retried'])
  const [{ hours }] = await sql<[{ hours: number }]>`
    select round(extract(epoch from run_at - now()) / 3600)::int as hours from graphile_worker.jobs where key = 'delayed'`
  assert.equal(hours, 9)
  await ahead(['new'])
  assert.ok((await late()).includes('new'))
  pass(-1)
  await look()
  assert.ok(!(await late()).includes('new'))
  await close()
})

test('finds the longest gap of a schedule', () => {
  const hours = (pattern: string) => longestGap(pattern) / (60 * MINUTE)
  assert.equal(hours('30 3 * * *'), 24)
  assert.equal(hours('0 */6 * * *'), 6)
  assert.equal(hours('0 2,4 * * *'), 22)
  assert.equal(hours('0 3 * * 1'), 7 * 24)
  assert.equal(hours('0 3 1 * *'), 31 * 24)
})
