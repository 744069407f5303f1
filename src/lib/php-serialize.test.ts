import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPhp } from './php-serialize.ts'

test('parses every PHP type in imported settings', () => {
  assert.equal(readPhp('i:-4;'), -4)
  assert.equal(readPhp('b:1;'), true)
  assert.equal(readPhp('b:0;'), false)
  assert.equal(readPhp('N;'), null)
  assert.equal(readPhp('d:0.5;'), 0.5)
  assert.equal(readPhp('s:5:"local";'), 'local')
  assert.deepEqual(readPhp('a:0:{}'), [])
  assert.deepEqual(readPhp('a:2:{i:0;s:1:"a";i:1;i:7;}'), ['a', 7])
  assert.deepEqual(readPhp('a:2:{s:6:"status";b:1;s:7:"amounts";a:1:{i:3;N;}}'), {
    status: true,
    amounts: { 3: null },
  })
})

test('measures PHP strings in bytes', () => {
  assert.equal(readPhp('s:6:"积分";'), '积分')
  assert.equal(readPhp('s:5:"a";b:";'), 'a";b:')
})

test('rejects invalid and unsupported PHP values', () => {
  for (const text of [
    '',
    'x',
    'i:4',
    'i:4;i:5;',
    's:9:"local";',
    'a:1:{i:0;}',
    'O:8:"stdClass":0:{}',
    '{"a":1}',
  ])
    assert.equal(readPhp(text), undefined, text)
  assert.equal(readPhp(`${'a:1:{i:0;'.repeat(100)}N;${'}'.repeat(100)}`), undefined)
})
