import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CHOICES } from './decisions.ts'

test('names only reasons that the import reports', () => {
  const folder = import.meta.dirname
  const sources = globSync('**/*.ts', { cwd: folder })
    .filter((name) => !name.startsWith('decisions'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  const texts = sources.flatMap((source) => [
    ...[...source.matchAll(/'([^'\n]+)'/g)].map((found) => found[1] ?? ''),
    ...[...source.matchAll(/`([^`\n]+)`/g)].map((found) =>
      (found[1] ?? '').replace(/\$\{kind\}/, 'email').replace(/\$\{\w+\}/, 'x'),
    ),
  ])
  const unused = CHOICES.filter(([pattern]) => !texts.some((text) => pattern.test(text)))
  assert.deepEqual(
    unused.map(([pattern]) => String(pattern)),
    [],
  )
})
