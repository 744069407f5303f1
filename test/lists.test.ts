import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Described, deprecatedPage, listsPage } from '../scripts/lists.ts'

test('describes paging and search of every list in docs/lists.md (conventions-14)', () => {
  const { text, count } = listsPage(JSON.parse(readFileSync('openapi.json', 'utf8')) as Described)
  assert.ok(count > 100, `saw only ${count} lists`)
  assert.equal(readFileSync('docs/lists.md', 'utf8'), text, '`npm run dev -- openapi` writes it anew')
})

test('lists every deprecated path in docs/deprecated-paths.md (conventions-23)', () => {
  const { text, count } = deprecatedPage(JSON.parse(readFileSync('openapi.json', 'utf8')) as Described)
  assert.ok(count > 100, `saw only ${count} paths`)
  assert.equal(
    readFileSync('docs/deprecated-paths.md', 'utf8'),
    text,
    '`npm run dev -- openapi` writes it anew',
  )
})
