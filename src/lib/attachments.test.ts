import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAttachments, replaceAttachments } from '#lib/attachments.ts'

test('finds each upload in a Markdown text once', () => {
  const text = 'a @![one](12) b @![](7)\n![web](https://x/9.png) @![again]( 12 ) @![no](x) @![zero](0)'
  assert.deepEqual(findAttachments(text), [12, 7])
  assert.deepEqual(findAttachments(text, 1), [12])
  assert.deepEqual(findAttachments('@![big](99999999999999999)'), [])
  assert.deepEqual(findAttachments(''), [])
})

test('scans a text with unclosed brackets in linear time', () => {
  // A quadratic scan would exceed the test timeout.
  assert.deepEqual(findAttachments('@!['.repeat(500_000)), [])
  assert.deepEqual(findAttachments(`@![${'x'.repeat(3_000_000)}`), [])
})

test('replaces only the upload ids in a Markdown text', () => {
  const ids = new Map([[12, 5]])
  assert.equal(
    replaceAttachments('12 @![a (12)]( 12 ) ![b](12) @![c](7)', ids),
    '12 @![a (12)](5) ![b](12) @![c](7)',
  )
})
