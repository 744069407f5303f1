import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomToken, uuidv7 } from './ids.ts'

const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('generates increasing UUIDs within one millisecond', () => {
  for (const make of [() => uuidv7(), () => uuidv7(1_700_000_000_000)]) {
    const ids = Array.from({ length: 20_000 }, make)
    assert.deepEqual(ids.toSorted(), ids)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, SHAPE)
  }
})

test('starts a UUID with its timestamp', () => {
  const now = Date.UTC(2020, 0, 1)
  assert.equal(Number.parseInt(uuidv7(now).replace('-', '').slice(0, 12), 16), now)
  assert.ok(uuidv7(now) < uuidv7())
})

test('keeps UUIDs increasing after a call with an explicit time', () => {
  const before = uuidv7()
  uuidv7(Date.now() + 1_000_000)
  assert.ok(uuidv7() > before)
  assert.ok(uuidv7() < uuidv7(Date.now() + 1_000_000))
})

test('generates unique URL-safe tokens', () => {
  assert.match(randomToken(), /^[\w-]{43}$/)
  assert.equal(randomToken(8).length, 11)
  assert.notEqual(randomToken(), randomToken())
})
