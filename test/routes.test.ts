import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import { createWorld } from '#test/world.ts'

type Operation = {
  method: string
  path: string
  auth: 'required' | 'optional'
  status: number
  also?: number[]
}
type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

const read = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`./contract/${name}`, import.meta.url), 'utf8')) as T
const OPERATIONS = read<Operation[]>('endpoints.json')
const NOT_YET = read<string[]>('not-yet.json')
const OPEN_ROUTES = new URL('./contract/open-routes.json', import.meta.url)

const ABILITIES = new URL('./contract/abilities.json', import.meta.url)

const { app, as, guest, person } = await createWorld()
const nobody = await person({ roles: [] })

const routes = app.routeTable
  .filter(({ url, method }) => url.startsWith('/api/v2') && !['HEAD', 'OPTIONS'].includes(String(method)))
  .flatMap((route) =>
    [route.method].flat().map((method) => ({ ...route, method }) as RouteOptions & { method: string }),
  )

const nameOf = (method: string, path: string) =>
  `${method} ${path.replace('/api/v2', '').replace(/\{(\w+)\}/g, ':$1')}`
/** Replaces parameter names, which differ between the specification and the router. */
const shapeOf = (method: string, path: string) =>
  nameOf(method, path)
    .replace(/:\w+(\([^)]*\))?/g, ':')
    .replace(/\/$/, '')
const byShape = new Map(routes.map((route) => [shapeOf(route.method, route.url), route]))
const callable = (url: string) => url.replace(/:\w+(\([^)]*\))?/g, '1').replace('*', 'x')

test('collects more than 30 routes to test', () => {
  assert.ok(routes.length > 30, `saw only ${routes.length}`)
})

test('implements every operation of the specification (conventions-22)', () => {
  for (const { method, path, status, auth, also = [] } of OPERATIONS) {
    const name = nameOf(method, path)
    const route = byShape.get(shapeOf(method, path))
    if (NOT_YET.includes(name)) {
      assert.equal(route, undefined, `${name} exists: take it off test/contract/not-yet.json`)
      continue
    }
    assert.ok(route, `${name} does not exist`)
    const replies = Object.keys((route.schema?.response ?? {}) as object)
    for (const code of [status, ...also])
      assert.ok(replies.includes(String(code)), `${name} never answers ${code}`)
    assert.equal(
      route.config?.access === 'optional' || route.config?.access === 'public',
      auth === 'optional',
      name,
    )
  }
  for (const name of NOT_YET)
    assert.ok(
      OPERATIONS.some(({ method, path }) => nameOf(method, path) === name),
      `${name} is no operation`,
    )
})

/** Retired operations that return only errors, but that older clients still call (sign-in-29). */
const REFUSING = new Set(['/api/v2/socialite/getAccess/:code'])

test('describes the responses of every route (conventions-1)', () => {
  for (const route of routes) {
    const replies = Object.entries((route.schema?.response ?? {}) as Record<string, object>)
    assert.ok(replies.length > 0, `${route.method} ${route.url} has no reply schema`)
    assert.ok(
      replies.some(([status]) => /^[23]/.test(status)) || REFUSING.has(route.url),
      `${route.method} ${route.url} has no success`,
    )
  }
})

test('declares bounds for every integer, text and list of the input', () => {
  const walk = (schema: Schema | undefined, where: string) => {
    if (!schema) return
    const types = [schema.type].flat()
    if (types.includes('integer') || types.includes('number'))
      assert.ok(schema.minimum !== undefined && schema.maximum !== undefined, `${where} has no bounds`)
    if (types.includes('string') && !schema.enum && schema.const === undefined)
      assert.ok(schema.maxLength !== undefined, `${where} has no maxLength`)
    if (types.includes('array')) assert.ok(schema.maxItems !== undefined, `${where} has no maxItems`)
    for (const [name, property] of Object.entries(schema.properties ?? {})) walk(property, `${where}.${name}`)
    walk(schema.items, `${where}[]`)
    for (const option of schema.anyOf ?? []) walk(option, where)
  }
  for (const route of routes) {
    const where = `${route.method} ${route.url}`
    const { body, querystring, params } = (route.schema ?? {}) as Record<string, Schema | undefined>
    walk(body, `${where} body`)
    walk(querystring, `${where} query`)
    walk(params, `${where} params`)
  }
})

test('returns 401 to guests on every route that is not listed as open', async () => {
  const open: string[] = []
  for (const route of routes) {
    const name = `${route.method} ${route.url.replace('/api/v2', '')}`
    if (route.config?.access === 'public' || route.config?.access === 'optional') {
      open.push(name)
      continue
    }
    const answer = await guest(route.method as 'GET', callable(route.url))
    assert.equal(answer.status, 401, name)
    assert.ok(answer.headers['x-ratelimit-limit'] && answer.headers['x-ratelimit-remaining'], name)
    assert.ok(answer.headers['x-error-code'] && answer.headers['x-request-id'], name)
  }
  open.sort()
  if (process.env.KITH_WRITE_MATRIX) writeFileSync(OPEN_ROUTES, `${JSON.stringify(open, null, 2)}\n`)
  const listed = read<string[]>('open-routes.json')
  assert.deepEqual(open, listed.sort(), 'KITH_WRITE_MATRIX=1 npm test -- test/routes.test.ts writes it anew')
})

test('returns 403 to a user without the required ability', async () => {
  let guarded = 0
  for (const route of routes) {
    if (typeof route.config?.access !== 'object') continue
    guarded += 1
    const answer = await as(nobody, route.method as 'GET', callable(route.url))
    assert.equal(answer.status, 403, `${route.method} ${route.url}`)
  }
  assert.ok(guarded > 0)
})

const requiredBy = ({ access = 'public' }: FastifyContextConfig = {}): string => {
  if (typeof access !== 'object') return access === 'user' ? 'member' : 'guest'
  return 'ability' in access ? access.ability : access.anyAbility.toSorted().join(' or ')
}

test('requires the ability listed in abilities.json for each operation (administration-1)', () => {
  const required = routes.map(({ method, url, config }) => [
    `${method} ${url.replace('/api/v2', '')}`,
    requiredBy(config),
  ])
  const found: Record<string, string> = Object.fromEntries(required.sort())
  if (process.env.KITH_WRITE_MATRIX) writeFileSync(ABILITIES, `${JSON.stringify(found, null, 2)}\n`)
  const listed = read<Record<string, string>>('abilities.json')
  const changed = Object.keys({ ...listed, ...found })
    .filter((name) => listed[name] !== found[name])
    .map((name) => `${name}: ${listed[name]} → ${found[name]}`)
  assert.deepEqual(changed, [], 'KITH_WRITE_MATRIX=1 npm test -- test/routes.test.ts writes it anew')
})

test('requires an ability for every route under /admin', () => {
  for (const route of routes.filter(({ url }) => url.startsWith('/api/v2/admin')))
    assert.equal(typeof route.config?.access, 'object', `${route.method} ${route.url}`)
})
