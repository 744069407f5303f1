import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byId, groupBy, parseIdList } from './lists.ts'

test('parses distinct ids in order from comma-separated lists and arrays (conventions-19)', () => {
  assert.deepEqual(parseIdList('3,1, 3,2'), [3, 1, 2])
  assert.deepEqual(parseIdList(['2', '1,5']), [2, 1, 5])
  assert.deepEqual(parseIdList([7, '8']), [7, 8])
  assert.deepEqual(parseIdList(9), [9])
  assert.deepEqual(parseIdList(''), [])
  assert.deepEqual(parseIdList([]), [])
})

test('rejects a list with an invalid id', () => {
  for (const list of [
    'a',
    '1,',
    ',',
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    '9007199254740992',
    '1,2;3',
    [1.5],
    ['1', 'x'],
  ]) {
    assert.equal(parseIdList(list), null, String(list))
  }
})

test('rejects a list with more ids than allowed', () => {
  assert.deepEqual(parseIdList('1,2,1', 2), [1, 2])
  assert.equal(parseIdList('1,2,3', 2), null)
})

test('parses any comma-separated list of distinct ids', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
  fc.assert(fc.property(ids, (list) => assert.deepEqual(parseIdList(list.join(','), 1000), list)))
})

test('indexes rows by id or by a shared property', () => {
  const rows = [
    { id: 1, kind: 'a' },
    { id: 2, kind: 'b' },
    { id: 3, kind: 'a' },
  ]
  assert.equal(byId(rows).get(2), rows[1])
  assert.deepEqual(groupBy(rows, (row) => row.kind).get('a'), [rows[0], rows[2]])
})
