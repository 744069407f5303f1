import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, suggestWord } from './closest.ts'

test('counts a swap of neighbouring letters as one edit', () => {
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

test('returns a symmetric edit distance of at most the length of the longer word', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b)
      assert.equal(distance, editDistance(b, a))
      assert.equal(distance === 0, a === b)
      assert.ok(distance <= Math.max(a.length, b.length))
    }),
  )
})

test('suggests a word only within the allowed edit distance', () => {
  const known = ['HOST', 'PORT', 'SMTP_URL', 'SMS_URL', 'DATABASE_URL']
  assert.equal(suggestWord('SMTP_URI', known), 'SMTP_URL')
  assert.equal(suggestWord('DATABSE_URL', known), 'DATABASE_URL')
  for (const foreign of ['HOME', 'PATH', 'HOSTNAME', 'EDITOR', 'REDIS_PORT'])
    assert.equal(suggestWord(foreign, known), undefined, foreign)
})
