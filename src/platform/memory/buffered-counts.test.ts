import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '#platform/context.ts'
import type { WriteCounts } from './buffered-counts.ts'
import { defineBufferedCounts } from './buffered-counts.ts'

function countsOfTest(write: WriteCounts) {
  const ctx = { sql: {}, log: { warn: () => {} }, onClose: [], state: new Map() } as unknown as Context
  return { ctx, counts: defineBufferedCounts('test', write)(ctx) }
}

test('reports counts as pending until they are in the database', async () => {
  const written: [number[], number[]][] = []
  const { counts } = countsOfTest(async (_sql, ids, counts) => written.push([ids, counts]))
  counts.add([5, 3])
  counts.add([3, 9])
  assert.equal(counts.pending(3), 2)
  await counts.flush()
  assert.deepEqual(written, [
    [
      [3, 5, 9],
      [2, 1, 1],
    ],
  ])
  assert.equal(counts.pending(3), 0)
  await counts.flush()
  assert.equal(written.length, 1)
})

test('shares buffered counts between copies of a context', () => {
  const { ctx } = countsOfTest(async () => {})
  const of = defineBufferedCounts('another', async () => {})
  of(ctx).add([7])
  assert.equal(of({ ...ctx }).pending(7), 1)
  assert.equal(ctx.onClose.length, 2)
})

test('retries counts whose write failed', async () => {
  let broken = true
  const written: number[][] = []
  const { counts } = countsOfTest(async (_sql, _ids, counts) => {
    if (broken) throw new Error('no database')
    written.push(counts)
  })
  counts.add([1, 1])
  await counts.flush()
  assert.equal(counts.pending(1), 2)
  broken = false
  counts.add([1])
  await counts.flush()
  assert.deepEqual(written, [[3]])
})

test('writes counts added during a flush in the next flush', async () => {
  const written: number[] = []
  let release = () => {}
  const { ctx, counts } = countsOfTest(async (_sql, _ids, counts) => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    written.push(...counts)
  })
  counts.add([1])
  const first = counts.flush()
  await Promise.resolve()
  counts.add([1])
  assert.equal(counts.pending(1), 2)
  release()
  await first
  const closing = ctx.onClose[0]!()
  await new Promise((resolve) => setImmediate(resolve))
  release()
  await closing
  assert.deepEqual(written, [1, 1])
})
