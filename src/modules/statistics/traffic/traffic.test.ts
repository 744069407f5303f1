import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#platform/database'
import { createMetrics } from '#platform/observability'
import { quantileMs, TIME_CLASSES } from '#platform/observability/metrics.ts'
import { createWorld } from '#test/world.ts'
import { tidyTraffic, trafficWriter } from './service.ts'

const world = await createWorld()
const { as, person, sql, ctx, connection } = world
const founder = await person({ roles: ['founder'] })

type Piece = {
  at: string
  requests: number
  faults: number
  median_ms: number | null
  p95_ms: number | null
}
const history = async (query = ''): Promise<{ minutes: number; pieces: Piece[] }> => {
  const { status, body } = await as(founder, 'GET', `/admin/health/requests${query}`)
  assert.equal(status, 200)
  return body
}
const observe = (metrics: ReturnType<typeof createMetrics>, status: number, seconds: number, times = 1) => {
  for (let n = 0; n < times; n += 1) metrics.observeRequest({ method: 'GET', route: '/x', status, seconds })
}
const process = (on = sql) => {
  const metrics = createMetrics()
  return { metrics, write: trafficWriter({ ...ctx, sql: on, metrics }) }
}

test('adds up request counts of several processes (administration-21)', async () => {
  const [one, other] = [process(), process()]
  observe(one.metrics, 200, 0.004, 90)
  observe(other.metrics, 200, 0.004, 5)
  observe(other.metrics, 503, 2, 5)
  await Promise.all([one.write(), other.write()])
  await one.write()
  await sql`update request_minutes set at = date_trunc('hour', now()) - interval '3 hours' + interval '2 minutes'`
  const { minutes, pieces } = await history()
  assert.deepEqual([minutes, pieces.length], [5, 288])
  const busy = pieces.filter(({ requests }) => requests > 0)
  assert.deepEqual(
    busy.map(({ requests, faults }) => [requests, faults]),
    [[100, 5]],
  )
  const [{ at, median_ms, p95_ms } = {} as Piece] = busy
  assert.match(at, /:00:00$/)
  assert.ok(median_ms && median_ms > 2.5 && median_ms < 5, String(median_ms))
  assert.equal(p95_ms, 5)
  const empty = pieces.find(({ requests }) => requests === 0)
  assert.deepEqual([empty?.median_ms, empty?.p95_ms], [null, null])
  assert.equal(
    (await history('?hours=168')).pieces.reduce((sum, piece) => sum + piece.requests, 0),
    100,
  )
  assert.equal(
    (await history('?hours=2')).pieces.reduce((sum, piece) => sum + piece.requests, 0),
    0,
  )
  for (const hours of ['0', '169', 'x'])
    assert.equal((await as(founder, 'GET', `/admin/health/requests?hours=${hours}`)).status, 422, hours)
})

test('writes buffered request counts once after a database outage', async () => {
  await sql`delete from request_minutes`
  const away = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 1000 })
  await away.end()
  let isAway = true
  const on = new Proxy(sql, {
    apply: (target, self, given) => Reflect.apply(isAway ? away : target, self, given),
  })
  const { metrics, write } = process(on)
  observe(metrics, 200, 0.01, 3)
  await write()
  observe(metrics, 200, 0.01, 4)
  await write()
  assert.equal((await sql`select from request_minutes`).count, 0)
  isAway = false
  await write()
  await write()
  const [row] = await sql`select sum(requests)::int as requests from request_minutes`
  assert.equal(row?.requests, 7)
})

test('deletes traffic history older than eight days', async () => {
  await sql`delete from request_minutes`
  const { metrics, write } = process()
  observe(metrics, 200, 0.01)
  await write()
  await sql`insert into request_minutes select now() - interval '9 days', 1, 0, '{1}'`
  await tidyTraffic(ctx)
  assert.equal((await sql`select from request_minutes`).count, 1)
})

test('computes quantiles of response times from a histogram', () => {
  const times = new Array<number>(TIME_CLASSES.length + 1).fill(0)
  assert.equal(quantileMs(times, 0.5), null)
  times[0] = 10
  assert.equal(quantileMs(times, 0.5), 0.5)
  times[TIME_CLASSES.length] = 90
  assert.equal(quantileMs(times, 0.95), 10_000)
})
