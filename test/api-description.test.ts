import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { shareSchemas } from '#platform/http/api-components.ts'
import { API_TAGS } from '#platform/http/api-tags.ts'
import { createWorld } from '#test/world.ts'

type Schema = { [name: string]: unknown; type?: unknown; properties?: Record<string, unknown> }
type Operation = {
  operationId?: string
  summary?: string
  tags?: string[]
  deprecated?: boolean
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
}

const { app } = await createWorld()
const document = app.swagger() as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({
    name: `${verb.toUpperCase()} ${path}`,
    path,
    ...operation,
  })),
)

test('declares 413 and 415 for every operation that may read a body (conventions-12)', () => {
  const silent = operations.filter(
    ({ name, responses }) => !name.startsWith('GET ') && !('413' in responses && '415' in responses),
  )
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  )
})

test('gives every operation an id, a plain-text summary and one known tag', () => {
  assert.ok(operations.length > 400, `saw only ${operations.length}`)
  const ids = new Map<string, string>()
  for (const { name, path, operationId = '', summary, tags = [] } of operations) {
    assert.match(operationId, /^[a-z][A-Za-z0-9]+$/, name)
    assert.equal(ids.get(operationId), undefined, `${name} has the id of ${ids.get(operationId)}`)
    ids.set(operationId, name)
    assert.match(summary ?? '', /^[^`]+$/, name)
    assert.equal(tags.length, 1, name)
    assert.ok(tags[0] !== undefined && tags[0] in API_TAGS, `${name}: ${tags[0]}`)
    assert.equal(path.startsWith('/api/v2/admin'), tags[0].startsWith('Admin: '), `${name}: ${tags[0]}`)
  }
})

test('has exactly the committed operation ids', () => {
  const file = new URL('./contract/operation-ids.json', import.meta.url)
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const kept = read()
  const now = Object.fromEntries(operations.map(({ name, operationId }) => [operationId, name]))
  assert.deepEqual(
    Object.entries(kept).filter(([id, name]) => now[id] !== name),
    [],
  )
  if (process.env.KITH_WRITE_MATRIX) {
    const sorted = Object.entries(now).sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
  }
  assert.deepEqual(
    Object.keys(now).filter((id) => !(id in read())),
    [],
    'KITH_WRITE_MATRIX=1 npm test -- test/api-description.test.ts adds new operations',
  )
})

test('gives every successful response a description other than the default', () => {
  for (const { name, responses } of operations)
    for (const [status, { description = '' }] of Object.entries(responses))
      if (/^2/.test(status))
        assert.doesNotMatch(description, /^(Default Response|Success\.)?$/, `${name} ${status}`)
})

type Reply = {
  headers?: { 'X-Error-Code'?: { schema: { enum: string[] } } }
  content?: Record<string, { schema?: { anyOf?: { $ref: string }[] } }>
}

test('lists `bad_request` among the documented error codes of every 400 response', () => {
  let seen = 0
  for (const { name, responses } of operations) {
    const codesOf = (status: string) =>
      (responses[status] as Reply | undefined)?.headers?.['X-Error-Code']?.schema.enum
    const codes = codesOf('400')
    if (codes === undefined) continue
    seen += 1
    assert.ok(codes.includes('bad_request'), name)
  }
  assert.ok(seen > 3, `saw only ${seen}`)
})

test('describes the 403 response for a paid feed or album as `UnpaidError` or `Error`', () => {
  for (const path of ['/api/v2/feeds/{feed}', '/api/v2/music/specials/{special}']) {
    const { get } = document.paths[path] as { get: Operation }
    const { schema } = (get.responses[403] as Reply).content?.['application/json'] ?? {}
    assert.deepEqual(
      schema?.anyOf?.map(({ $ref }) => $ref.split('/').at(-1)),
      ['UnpaidError', 'Error'],
    )
  }
})

test('rejects two different schemas with the same title', () => {
  const operation = (type: string) => ({
    responses: { 200: { schema: { title: 'Thing', type: 'object', properties: { id: { type } } } } },
  })
  const pathsOf = (type: string) => ({
    '/one': { get: operation('integer') },
    '/two': { get: operation(type) },
  })
  assert.doesNotThrow(() => shareSchemas(pathsOf('integer'), {}))
  assert.throws(() => shareSchemas(pathsOf('string'), {}), /Two schemas have the title Thing/)
})

test('gives every object schema of the API a name', () => {
  const unnamed: string[] = []
  const walk = (value: unknown, where: string, isNamed = false) => {
    if (Array.isArray(value)) for (const item of value) walk(item, where)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const schema = value as Schema
    if (!isNamed && schema.properties && [schema.type].flat().includes('object')) unnamed.push(where)
    for (const [name, inner] of Object.entries(schema)) walk(inner, `${where}.${name}`)
  }
  for (const { name, requestBody, responses } of operations) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema, `${name} body`)
    for (const [status, { content }] of Object.entries(responses))
      for (const { schema } of Object.values(content ?? {})) walk(schema, `${name} ${status}`)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, true)
  assert.deepEqual(unnamed, [])
})
