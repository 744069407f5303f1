import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { runOnLease } from './lease.ts'

async function openNode(t: TestContext, { sql, ctx }: Awaited<ReturnType<typeof createWorld>>) {
  const seen = { starts: 0, stops: 0 }
  const node = await runOnLease(sql, ctx.log, async () => {
    seen.starts += 1
    return {
      async stop() {
        seen.stops += 1
      },
    }
  })
  // A node that a failed test leaves would prevent the end of the process.
  t.after(() => node.stop())
  return { ...node, seen }
}

test('runs the jobs on another node when the first node stops', async (t) => {
  const world = await createWorld()
  const nodes = await Promise.all([1, 2, 3].map(() => openNode(t, world)))
  assert.deepEqual(nodes.map(({ seen }) => seen.starts).sort(), [0, 0, 1])
  const running = nodes.filter(({ seen }) => seen.starts === 1)
  const standing = nodes.filter(({ seen }) => seen.starts === 0)
  await running[0]?.stop()
  assert.deepEqual(running[0]?.seen, { starts: 1, stops: 1 })
  await until(() => standing.some(({ seen }) => seen.starts === 1), 'the next node')
  assert.deepEqual(standing.map(({ seen }) => seen.starts).sort(), [0, 1])
  await Promise.all(standing.map((node) => node.stop()))
  assert.equal(standing.filter(({ seen }) => seen.stops === seen.starts).length, 2)
})

test('does not take the new lease of another node after waiting for it', async (t) => {
  const world = await createWorld()
  const other = randomUUID()
  const waiting = await world.sql.begin(async (tx) => {
    await tx`select from worker_lease for update`
    const opening = openNode(t, world)
    const isWaiting = () => world.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update worker_lease%' and datname = current_database()`
    await until(async () => (await isWaiting()).length > 0, 'the claim waits')
    await tx`update worker_lease set node = ${other}, leased_until = clock_timestamp() + interval '6 seconds'`
    return { opening }
  })
  assert.equal((await waiting.opening).seen.starts, 0)
})

test('stops the worker of a node that lost its lease', async (t) => {
  const world = await createWorld()
  const node = await openNode(t, world)
  // Simulates that another node took the lease while this node was frozen.
  await world.sql`update worker_lease set node = ${randomUUID()}, leased_until = now() + interval '5 seconds'`
  await until(() => node.seen.stops === 1, 'its stop')
  await until(() => node.seen.starts === 2, 'its second start')
  await node.stop()
  assert.deepEqual(node.seen, { starts: 2, stops: 2 })
})

test('takes a lease of the future, which a clock that was ahead left', async (t) => {
  const world = await createWorld()
  await world.sql`update worker_lease set node = ${randomUUID()}, leased_until = now() + interval '2 days'`
  const node = await openNode(t, world)
  assert.equal(node.seen.starts, 1)
  await node.stop()
})

test('releases the lease when the worker fails to start', async (t) => {
  const world = await createWorld()
  let starts = 0
  const failing = await runOnLease(world.sql, world.ctx.log, async () => {
    starts += 1
    if (starts === 1) throw new Error('the queue is away')
    return { stop: async () => {} }
  })
  assert.equal(starts, 1)
  const next = await openNode(t, world)
  assert.equal(next.seen.starts, 1)
  await next.stop()
  await until(() => starts === 2, 'its second start')
  await failing.stop()
})
