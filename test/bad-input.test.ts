import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedForAccess } from '#test/fixtures/access.ts'
import { HOSTILE, HOSTILE_SEGMENTS, hostileQuery } from '#test/fixtures/hostile.ts'
import { createWorld } from '#test/world.ts'
import { parseQuery } from '../src/platform/http/forms.ts'
import { compileInput, withQuery } from '../src/platform/http/input.ts'

type Schema = { type?: string | string[]; properties?: Record<string, Schema>; required?: string[] }
type Route = { method: Method; url: string; schema: Record<string, Schema> }
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

/** A broken request must not end as 413, 429 or a missing route. */
const CLEAR_STATUSES = [400, 403, 404, 422]

function assertClear(answer: { status: number; body: unknown }, what: string) {
  assert.ok(CLEAR_STATUSES.includes(answer.status), `${what} answered ${answer.status}`)
  const body = answer.body as { message?: unknown; errors?: Record<string, unknown> }
  assert.ok(
    typeof body?.message === 'string' || Array.isArray(body?.message),
    `${what} answered ${answer.status} without a message`,
  )
  if (body.errors !== undefined)
    for (const texts of Object.values(body.errors))
      assert.ok(Array.isArray(texts) && texts.every((text) => typeof text === 'string'), what)
}

/** The parameters of the body also come from the query (conventions-17). */
function isValid({ schema }: Route, query: string, body: object): boolean {
  const asked = parseQuery(query.slice(1))
  const sent = withQuery(parseQuery(query.slice(1)), body)
  return [
    [schema.querystring, asked],
    [schema.body, sent],
  ].every(([shape, value]) => !shape || 'value' in compileInput(shape)(value))
}

test('collects more than 30 routes to test', () => {
  assert.ok(routes.length > 30, `saw only ${routes.length}`)
})

for (const { method, url, schema } of routes) {
  test(`${method} ${url} accepts only valid input, and explains why it rejects other input`, async () => {
    const property = fc.asyncProperty(
      inputFor(schema.querystring),
      inputFor(schema.body),
      fc.array(fc.constantFrom(...HOSTILE_SEGMENTS), { minLength: 4, maxLength: 4 }),
      async (query, body, segments) => {
        let position = 0
        const path = url.replace(/:\w+(\([^)]*\))?|\*/g, () => segments[position++ % 4] ?? '1')
        const withBody = method !== 'GET' && schema.body !== undefined
        const answer = await as(founder, method, path + hostileQuery(query), withBody ? body : undefined)
        const what = `${method} ${path} ${JSON.stringify(query).slice(0, 200)} ${JSON.stringify(body).slice(0, 300)}`
        if (answer.status >= 300) assertClear(answer, what)
        else {
          const taken = withBody ? JSON.parse(JSON.stringify(body)) : {}
          assert.ok(isValid({ method, url, schema }, hostileQuery(query), taken), `${what} was accepted`)
        }
      },
    )
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
  })
}

const seeded = await createWorld()
const seed = await seedForAccess(seeded)
const administrator = await seeded.person({ roles: ['founder', 'owner'] })

/** Routes that reject the caller, or a path that the seed lacks, before they validate the body. */
const BODY_UNREAD =
  /\/(socialite|chats)\/:|\/group-posts\/:post\/(new-)?rewards|\/(reports|pinned|currency-pinned)\/comments\/:|\/feeds\/:feed\/comments\/:comment\/currency-pinneds|\/(im|easemob)\/register$|\/admin\/(account-waves|webhooks|withdrawals|reports|registrations|recharges|question-topic-applications|question-applications|payment-differences|news\/deletions|news-pinneds|feed-pinneds|certifications|appeals)\/:/

for (const { method, url, schema } of routes) {
  const required = schema.body?.required ?? []
  if (required.length === 0) continue
  test(`${method} ${url} rejects a body of the wrong type or without required fields`, async () => {
    const path = seed.address(url.replace(/:(\w+)(\([^)]*\))?/g, '{$1}'))
    // The owner of the content cannot reward it.
    const { token } = /\/admin\/|reward(s|ers)$/.test(url) ? administrator : seed.owner
    for (const body of [{}, [], [1], 'text', 5, { [required[0] ?? '']: { nested: true } }]) {
      const answer = await seeded.app.inject({
        method,
        url: path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      })
      const { statusCode: status, body: text } = answer
      const what = `${method} ${path} with ${JSON.stringify(body)}`
      assertClear({ status, body: JSON.parse(text) }, what)
      assert.equal(status === 422, !BODY_UNREAD.test(url), `${what} answered ${status}`)
      const isRead = typeof body === 'object' && !(Array.isArray(body) && body.length > 0)
      const field = isRead ? required[0]! : 'body'
      if (status === 422) assert.ok(field in (JSON.parse(text).errors ?? {}), `${what}: ${text}`)
    }
  })
}

test('returns 413 for a body of 10 MB', async () => {
  const answer = await as(founder, 'POST', '/feeds', { feed_content: 'x'.repeat(10_000_000) })
  assert.equal(answer.status, 413)
  assert.equal(answer.headers['x-error-code'], 'body_too_large')
  assert.equal(typeof answer.body.message, 'string')
})
