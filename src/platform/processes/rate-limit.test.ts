import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { createLog } from '#platform/observability'
import { createRateLimiter, type RateState } from './rate-limit.ts'

const quiet = createLog({ level: 'silent' })
const minute = 60_000
const start = Date.UTC(2026, 10, 21, 8, 30, 0)

function memoryLimiter(options: { now?: () => number; maxKeys?: number } = {}) {
  const limiter = createRateLimiter({ log: quiet, ...options })
  return (key: string, limit: number) => limiter.hit(key, limit) as RateState
}

test('rejects requests over the limit', () => {
  const hit = memoryLimiter({ now: () => start + 1_500 })
  const resetAt = (start + minute) / 1000
  assert.deepEqual(hit('a', 2), { limit: 2, remaining: 1, resetAt, exceeded: false })
  assert.deepEqual(hit('a', 2), { limit: 2, remaining: 0, resetAt, exceeded: false })
  assert.deepEqual(hit('a', 2), { limit: 2, remaining: 0, resetAt, exceeded: true })
  assert.deepEqual(hit('b', 2), { limit: 2, remaining: 1, resetAt, exceeded: false })
})

test('resets the counts at the start of each clock minute', () => {
  let now = start + minute - 1
  const hit = memoryLimiter({ now: () => now })
  assert.equal(hit('a', 1).exceeded, false)
  assert.equal(hit('a', 1).exceeded, true)
  now += 1
  assert.deepEqual(hit('a', 1), {
    limit: 1,
    remaining: 0,
    resetAt: (start + 2 * minute) / 1000,
    exceeded: false,
  })
})

test('rejects no request when the limit is zero', () => {
  const hit = memoryLimiter({ now: () => start })
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(hit('a', 0), {
      limit: 1_000_000,
      remaining: 1_000_000,
      resetAt: (start + minute) / 1000,
      exceeded: false,
    })
  }
})

test('does not evict a key with several requests during a flood of new keys', () => {
  const hit = memoryLimiter({ now: () => start, maxKeys: 1_000 })
  hit('busy', 100)
  hit('busy', 100)
  for (let i = 0; i < 50_000; i++) hit(`flood ${i}`, 100)
  assert.equal(hit('busy', 100).remaining, 97)
})

test('evicts keys with several requests when no key has a single request', () => {
  const hit = memoryLimiter({ now: () => start, maxKeys: 100 })
  for (let i = 0; i < 1_000; i++) for (let j = 0; j < 2; j++) hit(`key ${i}`, 5)
  assert.equal(hit('key 0', 5).remaining, 4)
  assert.equal(hit('key 999', 5).remaining, 2)
})

test('counts different long keys separately', () => {
  const hit = memoryLimiter({ now: () => start })
  const long = 'x'.repeat(10_000)
  assert.equal(hit(`${long}a`, 5).remaining, 4)
  assert.equal(hit(`${long}b`, 5).remaining, 4)
  assert.equal(hit(`${long}a`, 5).remaining, 3)
})

test('counts in memory when Redis is unreachable', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  await countsInMemory(`redis://127.0.0.1:${port}`)
})

test('counts in memory when Redis accepts connections but does not respond', async () => {
  const mute = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  await countsInMemory(`redis://127.0.0.1:${port}`)
  mute.close()
})

test('leaves no open connection when closed while connecting to Redis', async () => {
  const mute = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const limiter = createRateLimiter({ redisUrl: `redis://127.0.0.1:${port}`, log: quiet })
  await limiter.close()
  // Waits until the server has no open connection.
  mute.close()
  await once(mute, 'close')
})

async function countsInMemory(redisUrl: string) {
  const warnings: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void warnings.push(line) } })
  const limiter = createRateLimiter({ redisUrl, log, now: () => start })
  for (let i = 1; i <= 3; i++) assert.equal((await limiter.hit('a', 2)).exceeded, i === 3)
  assert.ok(!(limiter.hit('a', 2) instanceof Promise), 'does not ask again before its time')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /redis does not answer/)
  await limiter.close()
}
