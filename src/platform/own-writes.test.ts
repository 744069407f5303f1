import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LRUCache } from 'lru-cache'
import { createLog } from '#platform/log.ts'
import { shareOwnWrites } from '#platform/own-writes.ts'

const log = createLog({ level: 'silent' })
const nothing = () => new LRUCache<number, number>({ max: 10, ttl: 60_000 })

test('how far somebody wrote is not known before Redis is there, and closing keeps nothing open', async () => {
  const alone = shareOwnWrites(nothing(), log)
  await alone.note(1, 7)
  await alone.note(1, 5)
  assert.deepEqual([alone.last(1), alone.last(2)], [7, 0])
  // Nothing listens there; it is closed before it has found out.
  const shared = shareOwnWrites(nothing(), log, 'redis://127.0.0.1:1')
  assert.equal(await shared.last(1), Number.POSITIVE_INFINITY)
  await shared.close()
})
