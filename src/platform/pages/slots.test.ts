import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findSlots } from './slots.ts'

const FLAGS = new Set(['has_like', 'following'])
const none = () => undefined

test('flags are found with the id of the object that they stand in, whatever people wrote', () => {
  const text = JSON.stringify([
    {
      id: 1,
      body: '","has_like":true,"id":7,"',
      has_like: false,
      user: { following: true, id: 5, x: '\\"' },
    },
    { has_like: true, other: { id: 9 }, id: 2, list: [{ id: 3, has_like: null }] },
  ])
  const found = findSlots(text, FLAGS, none).map((slot) => slot.kind === 'flag' && [slot.flag, slot.id])
  assert.deepEqual(found, [
    ['has_like', 1],
    ['following', 5],
    ['has_like', 2],
  ])
})

test('every text comes out as it was when its flags are put back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.tuple(fc.nat(), fc.boolean(), fc.string())), (value, things) => {
      const text = JSON.stringify({
        value,
        things: things.map(([id, has_like, body]) => ({ id: id + 1, body, has_like })),
      })
      const slots = findSlots(text, FLAGS, none)
      assert.ok(slots.length >= things.length)
      for (const { start, end } of slots) assert.match(text.slice(start, end), /^(true|false)$/)
    }),
  )
})
