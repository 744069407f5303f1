import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closest, editDistance } from './closest.ts'

test('a distance is counted in letters, and two that changed places are one', () => {
  for (const [a, b, distance] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['SMTP_URI', 'SMTP_URL', 1],
    ['MAIL_FORM', 'MAIL_FROM', 1],
    ['doctor', 'docter', 1],
    ['kitten', 'sitting', 3],
  ] as const)
    assert.equal(editDistance(a, b), distance, `${a} ${b}`)
})

test('a distance is the same both ways, nothing between equals, and never more than the longer word', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b)
      assert.equal(distance, editDistance(b, a))
      assert.equal(distance === 0, a === b)
      assert.ok(distance <= Math.max(a.length, b.length))
    }),
  )
})

test('the closest of several is found, and nothing where none is near', () => {
  const known = ['HOST', 'PORT', 'SMTP_URL', 'SMS_URL', 'DATABASE_URL']
  assert.equal(closest('SMTP_URI', known), 'SMTP_URL')
  assert.equal(closest('DATABSE_URL', known), 'DATABASE_URL')
  for (const foreign of ['HOME', 'PATH', 'HOSTNAME', 'EDITOR', 'REDIS_PORT'])
    assert.equal(closest(foreign, known), undefined, foreign)
})
