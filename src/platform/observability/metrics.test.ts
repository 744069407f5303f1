import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('counts requests by method, route pattern and status', async () => {
  const metrics = createMetrics()
  metrics.observeRequest({ method: 'GET', route: '/feeds/:feed', status: 200, seconds: 0.004 })
  metrics.observeRequest({ method: 'GET', route: '/feeds/:feed', status: 200, seconds: 0.2 })
  const text = await metrics.render()
  const labels = 'method="GET",route="/feeds/:feed",status="200"'
  assert.ok(text.includes(`http_request_duration_seconds_bucket{le="0.005",${labels}} 1`))
  assert.ok(text.includes(`http_request_duration_seconds_bucket{le="0.25",${labels}} 2`))
  assert.ok(text.includes(`http_request_duration_seconds_count{${labels}} 2`))
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/)
})

test('uses no client input as a metric label', async () => {
  const metrics = createMetrics()
  metrics.observeRequest({ method: 'EVIL1', route: undefined, status: 404, seconds: 0 })
  metrics.observeRequest({ method: 'EVIL2', route: undefined, status: 99_999, seconds: 0 })
  const text = await metrics.render()
  assert.ok(text.includes('_count{method="OTHER",route="unmatched",status="404"} 1'))
  assert.ok(text.includes('_count{method="OTHER",route="unmatched",status="0"} 1'))
  assert.ok(!text.includes('EVIL'))
})

test('limits the number of route labels even when callers pass paths', async () => {
  const metrics = createMetrics()
  for (let i = 0; i < 2_100; i++) {
    metrics.observeRequest({ method: 'GET', route: `/x/${i}`, status: 200, seconds: 0 })
  }
  const text = await metrics.render()
  assert.equal(text.match(/seconds_count\{/g)?.length, 2_001)
  assert.ok(text.includes('_count{method="GET",route="unmatched",status="200"} 100'))
  metrics.observeRequest({ method: 'GET', route: '/x/0', status: 200, seconds: 0 })
  assert.ok((await metrics.render()).includes('_count{method="GET",route="/x/0",status="200"} 2'))
})

test('decrements the number of requests in flight only once per request', async () => {
  const metrics = createMetrics()
  const [leave] = [metrics.enterRequest(), metrics.enterRequest()]
  assert.match(await metrics.render(), /http_requests_in_flight 2/)
  leave?.()
  leave?.()
  assert.match(await metrics.render(), /http_requests_in_flight 1/)
})

test('reads the state of the connection pool at each scrape', async () => {
  const metrics = createMetrics()
  let busy = 3
  metrics.gaugePool(async () => ({ max: 10, busy }))
  assert.match(await metrics.render(), /database_pool_connections\{state="busy"\} 3/)
  busy = 4
  const text = await metrics.render()
  assert.match(text, /database_pool_connections\{state="busy"\} 4/)
  assert.match(text, /database_pool_connections\{state="max"\} 10/)
})

test('adds metrics of the Node.js process only after `defaultProcessMetrics`', async () => {
  const [one, two] = [createMetrics(), createMetrics()]
  one.defaultProcessMetrics()
  assert.match(await one.render(), /process_resident_memory_bytes \d/)
  assert.match(await one.render(), /nodejs_eventloop_lag_seconds \d/)
  assert.doesNotMatch(await two.render(), /process_resident_memory_bytes/)
})
