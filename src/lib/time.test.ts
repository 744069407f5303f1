import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimeZone, readClock, wireTime, wireTimeOrNull, zuluTime, zuluTimeOrNull } from './time.ts'

test('omits the fraction of a timestamp (conventions-3)', () => {
  for (const pg of ['2026-11-21 05:22:00.123456+00', '2026-11-21 05:22:00+00']) {
    assert.equal(wireTime(pg), '2026-11-21 05:22:00')
    assert.equal(wireTimeOrNull(pg), '2026-11-21 05:22:00')
    assert.equal(zuluTime(pg), '2026-11-21T05:22:00Z')
    assert.equal(zuluTimeOrNull(pg), '2026-11-21T05:22:00Z')
  }
})

test('formats null as null', () => {
  assert.equal(wireTimeOrNull(null), null)
  assert.equal(zuluTimeOrNull(null), null)
})

test('appends the UTC offset of a zone on that date to a local time', () => {
  const shanghai = readClock('Asia/Shanghai')
  assert.equal(shanghai('2026-11-22 10:20:30'), '2026-11-22 10:20:30+08:00')
  // China observed daylight saving time in 1988.
  assert.equal(shanghai('1988-07-01 12:00:00'), '1988-07-01 12:00:00+09:00')
  const berlin = readClock('Europe/Berlin')
  assert.equal(berlin('2026-01-15 12:00:00'), '2026-01-15 12:00:00+01:00')
  assert.equal(berlin('2026-07-15 12:00:00'), '2026-07-15 12:00:00+02:00')
  assert.equal(readClock('UTC')('2026-07-15 12:00:00'), '2026-07-15 12:00:00+00:00')
})

test('resolves skipped and repeated local times', () => {
  const berlin = readClock('Europe/Berlin')
  const utc = (text: string) => new Date((berlin(text) as string).replace(' ', 'T')).toISOString()
  assert.equal(utc('2026-03-29 02:30:00'), '2026-03-29T01:30:00.000Z')
  assert.equal(utc('2026-10-25 02:30:00'), '2026-10-25T00:30:00.000Z')
})

test('returns null for an invalid time', () => {
  const read = readClock('UTC')
  for (const text of [null, '', '0000-00-00 00:00:00', '2026-13-41 00:00:00', 'yesterday evening'])
    assert.equal(read(text), null)
})

test('accepts only valid time zone names', () => {
  assert.ok(isTimeZone('Asia/Shanghai'))
  assert.ok(isTimeZone('UTC'))
  assert.ok(!isTimeZone('Asia/Nowhere'))
  assert.ok(!isTimeZone(''))
})
