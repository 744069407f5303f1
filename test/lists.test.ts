import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Described, listsPage } from '../scripts/lists.ts'

test('docs/lists.md tells of every list how it is paged and searched (conventions-14)', () => {
  const { text, count } = listsPage(JSON.parse(readFileSync('openapi.json', 'utf8')) as Described)
  assert.ok(count > 100, `saw only ${count} lists`)
  assert.equal(readFileSync('docs/lists.md', 'utf8'), text, '`npm run openapi` writes it anew')
})
