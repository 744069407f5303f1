import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

const files = globSync('docs/rules/*.md').filter((file) => !file.endsWith('README.md'))
const areas = files.map((file) => basename(file, '.md'))
const CITATION = new RegExp(`\\b(${areas.join('|')})-([1-9]\\d*)\\b`, 'g')

const rules = new Set<string>()
for (const file of files)
  for (const [, id = ''] of readFileSync(file, 'utf8').matchAll(/^### (\S+)$/gm)) rules.add(id)

const citationsIn = (file: string) => [...readFileSync(file, 'utf8').matchAll(CITATION)].map(([id]) => id)
const sources = globSync(['{src,importers,demo,test,bench}/**/*.ts', 'docs/**/*.md', '*.md'])

test('numbers the rules of each file consecutively', () => {
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

test('cites only rule ids that exist in docs/rules', () => {
  let seen = 0
  for (const file of sources)
    for (const id of citationsIn(file)) {
      seen += 1
      assert.ok(rules.has(id), `${file} cites ${id}, which docs/rules does not have`)
    }
  assert.ok(seen > 0)
})

const README = readFileSync('docs/rules/README.md', 'utf8')

test('lists every operation of test/contract/endpoints.json in docs/rules/README.md', () => {
  const operations = JSON.parse(readFileSync('test/contract/endpoints.json', 'utf8')) as {
    method: string
    path: string
  }[]
  const rows = [...README.matchAll(/^\| `(\w+ \/\S+)` \| (.+) \| `(\S+)` \|$/gm)]
  assert.deepEqual(
    rows.map(([, operation]) => operation),
    operations.map(({ method, path }) => `${method} ${path.replace('/api/v2', '')}`),
  )
  for (const [, operation = '', cited = '', file = ''] of rows) {
    const ids = [...cited.matchAll(CITATION)].map(([id]) => id)
    assert.ok(ids.length > 0, operation)
    for (const id of ids) assert.ok(rules.has(id), `${operation}: ${id}`)
    // A route mounted on content may be in any file of the content's folder.
    const [, path = ''] = operation.split(' ')
    const start = path.split('{')[0]!.split('/').slice(0, 3).join('/').replace(/\/$/, '')
    const folder = globSync(`${file.replace(/\/[^/]+$/, '')}/*.ts`)
    const texts = folder.map((name) => readFileSync(name, 'utf8'))
    assert.ok(folder.includes(file) && texts.some((text) => text.includes(start)), `${operation}: ${file}`)
  }
})

test('maps the outdated citations of old migrations to rules', () => {
  const OLD = /\b(?:R §|decisions §|specification )\d+(?:\.\d+)*/g
  for (const file of sources)
    if (!file.endsWith('rules/README.md'))
      assert.doesNotMatch(readFileSync(file, 'utf8'), OLD, `${file} cites what is not in the repository`)
  for (const file of globSync('migrations/*.sql')) {
    const number = basename(file).slice(0, 4)
    for (const [citation] of readFileSync(file, 'utf8').matchAll(OLD))
      assert.ok(README.includes(`| ${number} | ${citation} |`), `${file} cites ${citation}`)
  }
})

test('cites every rule in a test', () => {
  const cited = new Set(sources.filter((file) => /(\.test\.ts|^test\/)/.test(file)).flatMap(citationsIn))
  assert.deepEqual(
    [...rules].filter((id) => !cited.has(id)),
    [],
  )
})
