import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

type Operation = { description?: string; tags?: string[] }

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const BASE = '/api/v2'
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>
}

const OPERATIONS = Object.entries(paths).flatMap(([path, item]) =>
  METHODS.filter((method) => {
    const operation = item[method]
    if (!operation || !path.startsWith(`${BASE}/`)) return false
    return !path.startsWith(`${BASE}/admin/`) && !operation.description?.startsWith('An older path of')
  }).map((method) => `${method.toUpperCase()} ${path.slice(BASE.length)}`),
)

function callsOf(text: string): string[] {
  const calls: string[] = []
  for (const { 2: address = '', index } of text.matchAll(/(['"`])((?:\/api\/v2)?\/[^'"`\n]*)\1/g)) {
    const path = address
      .replace(BASE, '')
      .replace(/\?.*$/, '')
      .replace(/\$\{[^}]*\}/g, '{file}')
    const before = text.slice(Math.max(0, index - 160), index)
    const call = /\.(get|post|put|patch|delete)(?:<[^()]*>)?\(\s*$/.exec(before)
    const either = /\(([^()]*\?[^()]*)\)\(\s*$/.exec(before)
    const names = either
      ? [...(either[1] ?? '').matchAll(/\.(get|post|put|patch|delete)\b/g)].map(([, name]) => name)
      : [call?.[1] ?? 'get']
    for (const name of names) calls.push(`${name?.toUpperCase()} ${path}`)
    // Adds POST and DELETE of comments. The search misses them, because a component looks up their paths in a
    // table.
    if (path.endsWith('/comments') && !call) calls.push(`POST ${path}`, `DELETE ${path}/{comment}`)
  }
  return calls
}

const USED = new Set(
  [...globSync('web/src/**/*.{ts,tsx}'), 'sdk/src/client.ts'].flatMap((file) =>
    callsOf(readFileSync(file, 'utf8')),
  ),
)
const UNUSED = JSON.parse(readFileSync('web/unused-operations.json', 'utf8')) as Record<string, string[]>

test('uses every current operation outside /admin on the site except those in `unused-operations.json`', () => {
  const listed = Object.values(UNUSED).flat()
  assert.equal(new Set(listed).size, listed.length, 'an operation has two reasons')
  assert.deepEqual(
    OPERATIONS.filter((operation) => !USED.has(operation) && !listed.includes(operation)),
    [],
    'neither used nor listed',
  )
  assert.deepEqual(
    listed.filter((operation) => USED.has(operation)),
    [],
    'listed and used',
  )
  assert.deepEqual(
    listed.filter((operation) => !OPERATIONS.includes(operation)),
    [],
    'listed and not in openapi.json',
  )
})

test('finds API calls in every form that the site uses', () => {
  assert.deepEqual(
    callsOf(`read('/a') api.put('/b', x) (isOn ? api.post : api.delete)(
      '/c', y) '/d/comments'`),
    [
      'GET /a',
      'PUT /b',
      'POST /c',
      'DELETE /c',
      'GET /d/comments',
      'POST /d/comments',
      'DELETE /d/comments/{comment}',
    ],
  )
})
