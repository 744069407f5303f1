import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LRUCache } from 'lru-cache'
import { createLog } from '#platform/observability'
import { endRedis, skipRedis, startRedis } from '#test/fixtures/redis.ts'
import { until } from '#test/fixtures/streams.ts'
import { shareOwnWrites } from './own-writes.ts'

after(endRedis)
const log = createLog({ level: 'silent' })
const MAX_LAG_MS = 1_000

/** A node; `replayed` holds the positions that its writers waited for, and `clock.now` its time. */
function node(redisUrl?: string) {
  const replayed: number[] = []
  const clock = { now: 0 }
  const own = shareOwnWrites(new LRUCache({ max: 10, ttl: 60_000 }), log, {
    redisUrl,
    maxLagMs: MAX_LAG_MS,
    whenReplayed: async (position) => void replayed.push(position),
    now: () => clock.now,
  })
  /** Waits until a write reaches Redis. */
  const connected = () =>
    until(async () => {
      const before = replayed.length
      await own.note(99, 1)
      return replayed.length === before
    }, 'Redis takes a write')
  return { ...own, replayed, clock, connected }
}

test('knows the newest position of a user without Redis', async () => {
  const alone = node()
  await alone.note(1, 7)
  await alone.note(1, 5)
  assert.deepEqual([alone.last(1), alone.last(2)], [7, 0])
  assert.deepEqual(alone.replayed, [])
})

test('reads from the primary until Redis responds, and closes a client that never connected', async () => {
  const shared = node('redis://127.0.0.1:1')
  assert.equal(await shared.last(1), Number.POSITIVE_INFINITY)
  await shared.note(1, 7)
  assert.deepEqual(shared.replayed, [7])
  await shared.close()
})

test('reads from the primary for the maximum lag after Redis lost a note of another node', {
  skip: skipRedis,
}, async () => {
  const redis = await startRedis()
  const [one, other] = [node(redis.url), node(redis.url)]
  await Promise.all([one.connected(), other.connected()])
  other.clock.now += MAX_LAG_MS
  await one.note(1, 7)
  assert.equal(await other.last(1), 7)
  await redis.kill()
  one.replayed.length = 0
  await one.note(1, 9)
  // Its reply waits for the replicas, since the other node will not receive the note.
  assert.deepEqual(one.replayed, [9])
  assert.equal(await other.last(1), Number.POSITIVE_INFINITY)
  await redis.start()
  await other.connected()
  assert.equal(await other.last(1), Number.POSITIVE_INFINITY)
  other.clock.now += MAX_LAG_MS
  assert.equal(await other.last(1), 0)
  await Promise.all([one.close(), other.close()])
})
