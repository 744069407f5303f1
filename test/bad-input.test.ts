import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HOSTILE, HOSTILE_SEGMENTS, hostileQuery } from '#test/fixtures/hostile.ts'
import { createWorld } from '#test/world.ts'

type Schema = { type?: string | string[]; properties?: Record<string, Schema>; required?: string[] }
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const { app, as, person } = await createWorld()
const founder = await person({ roles: ['founder', 'owner'] })

const RUNS = Number(process.env.KITH_BAD_INPUT_RUNS ?? 3)

const routes = app.routeTable
  .filter(({ url, method }) => url.startsWith('/api/v2') && !['HEAD', 'OPTIONS'].includes(String(method)))
  // Skips sign-out and refresh, which would end the session that all requests share. Skips streams, which never end.
  .filter(({ url }) => !/auth\/(logout|refresh)|stream/.test(url))
  .flatMap(({ method, url, schema }) =>
    [method]
      .flat()
      .map((verb) => ({ method: verb as Method, url, schema: (schema ?? {}) as Record<string, Schema> })),
  )

const valueFor = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

function inputFor(schema: Schema | undefined) {
  const names = Object.keys(schema?.properties ?? {})
  return fc.record(
    Object.fromEntries([...names, 'unknown_field', '__proto__x'].map((name) => [name, valueFor])),
    { requiredKeys: [] },
  )
}

function assertClear(answer: { status: number; body: unknown }, what: string) {
  assert.ok(answer.status < 500, `${what} answered ${answer.status}`)
  if (answer.status < 400) return
  const body = answer.body as { message?: unknown; errors?: Record<string, unknown> }
  assert.ok(
    typeof body?.message === 'string' || Array.isArray(body?.message),
    `${what} answered ${answer.status} without a message`,
  )
  if (body.errors !== undefined)
    for (const texts of Object.values(body.errors))
      assert.ok(Array.isArray(texts) && texts.every((text) => typeof text === 'string'), what)
}

test('collects more than 30 routes to test', () => {
  assert.ok(routes.length > 30, `saw only ${routes.length}`)
})

for (const { method, url, schema } of routes) {
  test(`${method} ${url} returns no 5xx and explains each 4xx when the input is bad`, async () => {
    const property = fc.asyncProperty(
      inputFor(schema.querystring),
      inputFor(schema.body),
      fc.array(fc.constantFrom(...HOSTILE_SEGMENTS), { minLength: 4, maxLength: 4 }),
      async (query, body, segments) => {
        let position = 0
        const path = url.replace(/:\w+(\([^)]*\))?|\*/g, () => segments[position++ % 4] ?? '1')
        const withBody = method !== 'GET' && schema.body !== undefined
        const answer = await as(founder, method, path + hostileQuery(query), withBody ? body : undefined)
        assertClear(
          answer,
          `${method} ${path} ${JSON.stringify(query).slice(0, 200)} ${JSON.stringify(body).slice(0, 300)}`,
        )
      },
    )
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
  })
  const required = schema.body?.required ?? []
  if (required.length === 0) continue
  test(`${method} ${url} rejects a body of the wrong type or without required fields`, async () => {
    const path = url.replace(/:\w+(\([^)]*\))?/g, '1')
    for (const body of [{}, [], 'text', 5, { [required[0] ?? '']: { nested: true } }]) {
      const answer = await app.inject({
        method,
        url: path,
        headers: { authorization: `Bearer ${founder.token}`, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      })
      assert.ok(
        answer.statusCode >= 400 && answer.statusCode < 500,
        `${method} ${path} took ${JSON.stringify(body)}: ${answer.statusCode}`,
      )
    }
  })
}

test('returns 413 for a body of 10 MB', async () => {
  const answer = await as(founder, 'POST', '/feeds', { feed_content: 'x'.repeat(10_000_000) })
  assert.equal(answer.status, 413)
  assert.equal(answer.headers['x-error-code'], 'body_too_large')
  assert.equal(typeof answer.body.message, 'string')
})
