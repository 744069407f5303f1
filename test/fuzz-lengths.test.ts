import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findGrowth, type Work } from './fuzz/growth.ts'

const BOUND = 8000

const curveOf = (cost: (length: number) => number) => {
  const lengths: number[] = []
  const measure = async (length: number): Promise<Work> => {
    lengths.push(length)
    return new Map([
      ['the request', 5],
      ['the page', cost(length)],
    ])
  }
  return { lengths, found: findGrowth(BOUND, measure) }
}

test('reports work that quadruples where the length doubles', async () => {
  const { found, lengths } = curveOf((length) => 8 + (length / 1000) ** 2)
  assert.equal(await found, 'the page: 1.0 ms at 1000, 4.0 ms at 2000, 16.0 ms at 4000, 64.0 ms at 8000')
  assert.ok(lengths.length < 30)
})

test('stops at the first length whose work has grown too much', async () => {
  const { found, lengths } = curveOf((length) => (length / 100) ** 2)
  assert.equal(await found, 'the page: 100.0 ms at 1000, 400.0 ms at 2000')
  assert.equal(Math.max(...lengths), 2000)
})

test('accepts linear work, and superlinear work below the floor', async () => {
  assert.equal(await curveOf((length) => 8 + length / 10).found, undefined)
  assert.equal(await curveOf((length) => (length / BOUND) ** 2 * 14).found, undefined)
})

test('repeats a measurement that only garbage collection made steep', async () => {
  let calls = 0
  const { found } = curveOf((length) => length / 100 + (++calls === 4 ? 500 : 0))
  assert.equal(await found, undefined)
})

test('collects garbage before it repeats a measurement', async () => {
  let isFull = true
  const measure = async (length: number): Promise<Work> =>
    new Map([['the page', length / 100 + (isFull && length === BOUND ? 500 : 0)]])
  assert.equal(await findGrowth(BOUND, measure, () => (isFull = false)), undefined)
})

test('measures three lengths of an input that is cheap at its bound', async () => {
  const { found, lengths } = curveOf(() => 3)
  assert.equal(await found, undefined)
  assert.deepEqual(lengths, [1, 1000, 8000])
})
