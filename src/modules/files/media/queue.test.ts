import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ImageRule } from './images.ts'
import { createImageQueue } from './queue.ts'
import { formatRule, roundRule } from './rule.ts'

function held({ maxWaiting = 100, patienceMs = 60_000 } = {}) {
  const inTurn = createImageQueue({ atOnce: 1, maxWaiting, patienceMs })
  const began: string[] = []
  const ends: (() => void)[] = []
  const add = (name: string, key: string, isGone = () => false) =>
    inTurn({ key, isGone }, async () => {
      began.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  const drain = async (added: Promise<void>[]) => {
    const all = Promise.allSettled(added)
    let isOver = false
    void all.then(() => (isOver = true))
    while (!isOver) {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return (await all).map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.fault))
  }
  return { began, add, drain }
}

describe('schedules image jobs', () => {
  test('runs queued jobs of different users in turn', async () => {
    const { began, add, drain } = held()
    const added = ['a1', 'a2', 'a3', 'a4'].map((name) => add(name, 'a'))
    added.push(add('b1', 'b'), add('c1', 'c'), add('b2', 'b'))
    await drain(added)
    assert.deepEqual(began, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  test('drops a queued job when its client disconnects', async () => {
    const { began, add, drain } = held()
    let isGone = false
    const added = [add('a1', 'a'), add('a2', 'a', () => isGone), add('a3', 'a')]
    isGone = true
    assert.deepEqual(await drain(added), ['done', 'busy', 'done'])
    assert.deepEqual(began, ['a1', 'a3'])
  })

  test('evicts the newest job of the heaviest user when the queue is full', async () => {
    const { began, add, drain } = held({ maxWaiting: 3 })
    const added = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => add(name, 'a'))
    added.push(add('b1', 'b'))
    assert.deepEqual(await drain(added), ['done', 'done', 'done', 'busy', 'busy', 'done'])
    assert.deepEqual(began, ['a1', 'a2', 'b1', 'a3'])
  })

  test('rejects a queued job on timeout', async () => {
    const { add, drain } = held({ patienceMs: 5 })
    const first = add('a1', 'a')
    await assert.rejects(add('b1', 'b'), { fault: 'busy' })
    assert.deepEqual(await drain([first]), ['done'])
  })
})

describe('rounds image rules to variants', () => {
  const everything: ImageRule[] = []
  for (let side = 0; side <= 4_000; side += 37)
    for (let value = 0; value <= 90; value += 9) {
      everything.push({ w: side }, { h: side, q: value }, { w: side, h: 4_000 - side, q: value, b: value })
    }
  const sizes = [
    { width: 30, height: 20 },
    { width: 1_900, height: 2_000 },
    { width: 8_000, height: 6_000 },
    { width: 40_000, height: 1_000 },
    { width: null, height: null },
  ]

  test('bounds the number of variants of a picture and the pixels decoded to render all of them (files-14)', () => {
    for (const size of sizes) {
      const variants = new Set(everything.map((rule) => formatRule(roundRule(rule, size))))
      const megapixels = ((size.width ?? 4_000) * (size.height ?? 4_000)) / 1_000_000
      assert.ok(variants.size * megapixels <= 700, `${variants.size} of ${megapixels} megapixels`)
      assert.ok(variants.size <= 100)
    }
  })

  test('rounds to a variant no smaller and no less blurred than requested (files-14)', () => {
    for (const size of sizes)
      for (const rule of everything) {
        const rounded = roundRule(rule, size)
        assert.deepEqual(roundRule(rounded, size), rounded)
        assert.ok(Math.min(96, rule.b ?? 0) <= (rounded.b ?? 0))
        if (!rounded.w || !size.width) continue
        const scale = Math.min(1, (rule.w || 1e9) / size.width, (rule.h || 1e9) / size.height)
        assert.ok(rounded.w >= Math.round(Math.max(size.width, size.height) * scale))
      }
  })

  test('keeps a requested size of 720 pixels unrounded (files-6)', () => {
    for (const size of sizes.slice(1, 4))
      assert.deepEqual(roundRule({ w: 720, h: 720 }, size), { w: 720, h: 720 })
  })
})
