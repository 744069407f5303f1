import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

const files = globSync('docs/rules/*.md').filter((file) => !file.endsWith('README.md'))
const areas = files.map((file) => basename(file, '.md'))
const CITATION = new RegExp(`\\b(${areas.join('|')})-(\\d+)\\b`, 'g')

const rules = new Set<string>()
for (const file of files)
  for (const [, id = ''] of readFileSync(file, 'utf8').matchAll(/^### (\S+)$/gm)) rules.add(id)

const citationsIn = (file: string) => [...readFileSync(file, 'utf8').matchAll(CITATION)].map(([id]) => id)
const sources = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'docs/**/*.md', '*.md'])

test('rules are numbered through in the file of their area', () => {
  assert.ok(rules.size > 30, `saw only ${rules.size} rules`)
  for (const file of files) {
    const area = basename(file, '.md')
    const ids = [...readFileSync(file, 'utf8').matchAll(/^### (\S+)$/gm)].map(([, id]) => id)
    assert.deepEqual(
      ids,
      ids.map((_, index) => `${area}-${index + 1}`),
      file,
    )
  }
})

test('every rule that is cited exists', () => {
  let seen = 0
  for (const file of sources)
    for (const id of citationsIn(file)) {
      seen += 1
      assert.ok(rules.has(id), `${file} cites ${id}, which docs/rules does not have`)
    }
  assert.ok(seen > 0)
})

test('rules are proven: what no test cites is told', (t) => {
  const cited = new Set(sources.filter((file) => /(\.test\.ts|^test\/)/.test(file)).flatMap(citationsIn))
  const uncited = [...rules].filter((id) => !cited.has(id))
  if (uncited.length > 0) t.diagnostic(`no test cites: ${uncited.join(', ')}`)
  assert.ok(uncited.length < rules.size)
})
