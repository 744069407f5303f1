import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byId, groupBy } from './lists.ts'

test('indexes rows by id or by a shared property', () => {
  const rows = [
    { id: 1, kind: 'a' },
    { id: 2, kind: 'b' },
    { id: 3, kind: 'a' },
  ]
  assert.equal(byId(rows).get(2), rows[1])
  assert.deepEqual(groupBy(rows, (row) => row.kind).get('a'), [rows[0], rows[2]])
})
