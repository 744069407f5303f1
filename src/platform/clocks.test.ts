import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { measureSkews, skewFault } from './clocks.ts'

const { ctx } = await createWorld()

test('measures how far the clock of the node is from those of database and Redis', async (t) => {
  assert.equal(skewFault(await measureSkews(ctx)), null)
  const real = Date.now
  for (const hours of [1, -1, 48, -48]) {
    t.mock.method(Date, 'now', () => real() + hours * 3_600_000)
    const { database } = await measureSkews(ctx)
    assert.ok(Math.abs(database - hours * 3600) < 60, String(database))
    assert.match(
      String(skewFault({ database })),
      hours > 0 ? /^the clock of this server is [\d.]+ s ahead of the database/ : / s behind the database/,
    )
    t.mock.restoreAll()
  }
  const limiter = { ...ctx.limiter, clock: async () => Date.now() - 60_000 }
  const { redis } = await measureSkews({ ...ctx, limiter })
  assert.ok(Math.abs(Number(redis) - 60) < 5, String(redis))
  assert.match(String(skewFault({ database: 0, redis: 60 })), /60\.0 s ahead of Redis/)
})
