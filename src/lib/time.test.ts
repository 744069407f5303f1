import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireTime, wireTimeOrNull, zuluTime, zuluTimeOrNull } from './time.ts'

test('removes fraction and zone from timestamps (conventions-3)', () => {
  for (const pg of ['2026-11-21 05:22:00.123456+00', '2026-11-21 05:22:00+00']) {
    assert.equal(wireTime(pg), '2026-11-21 05:22:00')
    assert.equal(wireTimeOrNull(pg), '2026-11-21 05:22:00')
    assert.equal(zuluTime(pg), '2026-11-21T05:22:00Z')
    assert.equal(zuluTimeOrNull(pg), '2026-11-21T05:22:00Z')
  }
})

test('keeps null', () => {
  assert.equal(wireTimeOrNull(null), null)
  assert.equal(zuluTimeOrNull(null), null)
})
