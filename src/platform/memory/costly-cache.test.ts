import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from './costly-cache.ts'

test('loads a value once for concurrent callers', async () => {
  const ctx = { state: new Map() } as Context
  const first = Promise.withResolvers<string>()
  let times = 0
  const ask = cacheCostly(60_000, async () => {
    times += 1
    return times === 1 ? first.promise : 'found anew'
  })
  const asking = Promise.allSettled([ask(ctx, 'one'), ask(ctx, 'one')])
  assert.equal(times, 1)
  first.reject(new Error('away'))
  for (const { status } of await asking) assert.equal(status, 'rejected')
  assert.equal(await ask(ctx, 'one'), 'found anew')
})
