import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMentions } from './text.ts'

const mention = (name: string) => `\u00ad@${name}\u00ad`

test('finds each mentioned name once regardless of case', () => {
  const text = `hi ${mention('Ann')} and ${mention('小明')}${mention('ann')}, not @bob or \u00ad@carl`
  assert.deepEqual(findMentions(text), ['Ann', '小明'])
})

test('ignores invalid names in mentions', () => {
  assert.deepEqual(findMentions(mention('a/b') + mention('') + mention(' ') + mention('x'.repeat(101))), [])
  assert.deepEqual(findMentions(mention('a/b') + mention('%')), ['%'])
})

test('finds at most 50 mentioned names', () => {
  const names = Array.from({ length: 80 }, (_, i) => `name${i}`)
  assert.deepEqual(findMentions(names.map(mention).join(' ')), names.slice(0, 50))
})

test('scans megabytes of unfinished mentions in linear time', () => {
  // A quadratic scan would exceed the test timeout.
  assert.deepEqual(findMentions('\u00ad@'.repeat(2_000_000)), [])
})
