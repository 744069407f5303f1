import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAmount, MAX_AMOUNT } from './money.ts'

test('accepts integers from 1 to 10^12 as amounts (conventions-27)', () => {
  for (const n of [1, 100, MAX_AMOUNT]) assert.ok(isAmount(n), String(n))
  for (const n of [
    0,
    -1,
    1.5,
    MAX_AMOUNT + 1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1',
    null,
    undefined,
    1n,
  ]) {
    assert.ok(!isAmount(n), String(n))
  }
})
