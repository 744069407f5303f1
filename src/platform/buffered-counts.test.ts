import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WriteCounts } from '#platform/buffered-counts.ts'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Context } from '#platform/context.ts'

function countsOfTest(write: WriteCounts) {
  const ctx = { sql: {}, log: { warn: () => {} }, onClose: [] } as unknown as Context
  return { ctx, counts: defineBufferedCounts('test', write)(ctx) }
}

test('counts are written once, sorted by id, and are pending until then', async () => {
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

test('whoever counts in one context counts together', () => {
  const { ctx } = countsOfTest(async () => {})
  const of = defineBufferedCounts('another', async () => {})
  of(ctx).add([7])
  assert.equal(of({ ...ctx }).pending(7), 1)
  assert.equal(ctx.onClose.length, 2)
})

test('counts that could not be written are kept', async () => {
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

test('what is added during a flush is written by the next one, and closing writes what is left', async () => {
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
