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
  const node = () =>
    createSchedules(pool, [{ task: 'ticks ?max=3', pattern: '* * * * *' }], async () => ({
      minute,
      msToNext: 1000,
    }))
  const jobs = async () =>
    (
      await sql<{ max_attempts: number; due: boolean }[]>`
        select max_attempts, run_at <= now() as due from graphile_worker.jobs where task_identifier = 'ticks'`
    ).map(({ max_attempts, due }) => [max_attempts, due])
  const pass = (minutes: number) => {
    minute += minutes * MINUTE
  }
  return { sql, node, jobs, pass, close: () => pool.end() }
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

test('finds the longest gap of a schedule', () => {
  const hours = (pattern: string) => longestGap(pattern) / (60 * MINUTE)
  assert.equal(hours('30 3 * * *'), 24)
  assert.equal(hours('0 */6 * * *'), 6)
  assert.equal(hours('0 2,4 * * *'), 22)
  assert.equal(hours('0 3 * * 1'), 7 * 24)
  assert.equal(hours('0 3 1 * *'), 31 * 24)
})
