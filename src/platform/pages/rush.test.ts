import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRush } from './rush.ts'

test('a rush is on from its last one on until a second without it has passed', () => {
  const rush = createRush(3)
  const start = 10_000
  for (const at of [0, 400]) rush.count(start + at)
  assert.equal(rush.isOn(start + 500), false)
  rush.count(start + 800)
  assert.equal(rush.isOn(start + 900), true)
  assert.equal(rush.isOn(start + 1_500), true)
  assert.equal(rush.isOn(start + 2_500), false)
  for (const at of [0, 900, 1_100]) rush.count(start + 5_000 + at)
  assert.equal(rush.isOn(start + 6_200), false)
})
