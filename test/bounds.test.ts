import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compileInput, InputError } from '#platform/http/input.ts'
import { createWorld } from '#test/world.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  'x-any'?: number
  'x-empty'?: boolean
  'x-page'?: boolean
}
type Operation = {
  operationId?: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const resolve = (schema: Schema = {}): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

const PARTS = { path: 'params', query: 'querystring', body: 'body' } as const

const MATCHING = [
  'https://example.com/a.png',
  'x.png',
  '0',
  'A'.repeat(22),
  'A'.repeat(87),
  '2026-01-02',
  '2026-01-02 03:04:05',
  '08:00',
  'd41d8cd98f00b204e9800998ecf8427e',
  '00000000-0000-4000-8000-000000000000',
  '#0b7468',
]
/** Fields whose pattern matches no text of `maxLength` characters. */
const SHORTER_BY_PATTERN = [
  'GET /api/v2/admin/audit-log from',
  'GET /api/v2/admin/audit-log to',
  'POST /api/v2/admin/backups/{backup}/checks backup',
  'POST /api/v2/admin/backups/{backup}/downloads backup',
  'POST /api/v2/admin/restore backup',
  'POST /api/v2/admin/webhooks/{webhook}/replay since',
  'PUT /api/v2/user/devices keys.p256dh',
  'PUT /api/v2/user/devices keys.auth',
  'GET /api/v2/user/notifications/stream last_event_id',
  'GET /api/v2/user/notifications/stream chats_after',
]

const is = ({ type }: Schema, name: string) => [type].flat().includes(name)

function textOf({ pattern, minLength = 1, maxLength = 1000 }: Schema, length?: number): string | undefined {
  const long = (text: string) =>
    length === undefined ? text.padEnd(minLength, text.at(-1)) : text.padStart(length, text[0])
  const texts = [...MATCHING.flatMap((text) => [text, long(text), text.padEnd(length ?? 0, 'x')]), long('x')]
  return texts.find(
    (text) =>
      (length === undefined ? text.length <= maxLength : text.length === length) &&
      (!pattern || new RegExp(pattern).test(text)),
  )
}

type Place = (string | number)[]

function build(described: Schema, given?: { place: Place; value: unknown }, at: Place = []): unknown {
  const schema = resolve(described)
  const isOnWay = given?.place.slice(0, at.length).join() === at.join()
  if (isOnWay && given?.place.length === at.length) return given.value
  if (schema.anyOf) {
    const option = schema.anyOf.find((each) => isOnWay && (resolve(each).properties || resolve(each).items))
    return build(option ?? schema.anyOf[0] ?? {}, given, at)
  }
  if (schema.enum) return schema.enum.find((value) => value !== null)
  if (is(schema, 'array')) {
    const least = Math.max(schema.minItems ?? 0, isOnWay && given ? 1 : 0)
    return Array.from({ length: least }, (_, index) => build(schema.items ?? {}, given, [...at, index]))
  }
  if (is(schema, 'object')) {
    const { properties = {}, required = [] } = schema
    const next = isOnWay && given ? given.place[at.length] : undefined
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || name === next)
        .map(([name, each]) => [name, build(each, given, [...at, name])]),
    )
  }
  if (is(schema, 'integer') || is(schema, 'number')) return schema.minimum ?? 1
  if (is(schema, 'boolean')) return true
  return textOf(schema)
}

type Bounded = { place: Place; schema: Schema; isRequired: boolean }

function boundedIn(described: Schema, place: Place = [], isRequired = true): Bounded[] {
  const schema = resolve(described)
  const { anyOf = [], items, properties = {}, required = [] } = schema
  return [
    { place, schema, isRequired },
    ...anyOf.flatMap((option) => boundedIn(option, place, isRequired)),
    ...(items ? boundedIn(items, [...place, 0]) : []),
    ...Object.entries(properties).flatMap(([name, each]) =>
      boundedIn(each, [...place, name], required.includes(name)),
    ),
  ]
}

type Attempt = { bound: string; value: unknown; isInside: boolean }

function attemptsAt({ schema, isRequired }: Bounded): Attempt[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items = {} } = schema
  const attempts: Attempt[] = []
  // Skips enums, because their values are narrower than any bound. Skips uploads, because tests of
  // src/modules/files cover their byte limit.
  if (schema.enum || schema.format === 'binary') return []
  const add = (bound: string, value: unknown, isInside: boolean) => attempts.push({ bound, value, isInside })
  if (minimum !== undefined) add('minimum', minimum, true)
  // The server treats a page below 1 as page 1.
  if (minimum !== undefined)
    add('minimum', minimum - 1, schema['x-page'] === true || schema['x-any'] === minimum - 1)
  if (maximum !== undefined) add('maximum', maximum, true)
  // Skips 2^53, whose successor a JavaScript number cannot represent.
  if (maximum !== undefined && maximum + 1 > maximum && !schema['x-page']) add('maximum', maximum + 1, false)
  if (minLength !== undefined) add('minLength', textOf(schema, minLength), true)
  // The server treats an empty text as absent.
  if (minLength !== undefined)
    add('minLength', 'x'.repeat(minLength - 1), minLength === 1 && !isRequired && !schema['x-empty'])
  if (maxLength !== undefined) add('maxLength', textOf(schema, maxLength), true)
  if (maxLength !== undefined)
    add('maxLength', textOf(schema, maxLength + 1) ?? 'x'.repeat(maxLength + 1), false)
  const list = (length: number) => Array.from({ length }, () => build(items))
  if (minItems !== undefined) add('minItems', list(minItems), true)
  if (minItems !== undefined) add('minItems', list(minItems - 1), false)
  if (maxItems !== undefined) add('maxItems', list(maxItems), true)
  if (maxItems !== undefined) add('maxItems', list(maxItems + 1), false)
  return attempts
}

const asText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asText(each)]))
}

/** Validation errors name the list of an invalid item, not the item. */
const nameOf = (place: Place) => place.join('.').replace(/(?<=.)\.\d+$/, '')

const names = (fields: string[], place: Place) =>
  fields.includes(nameOf(place)) && fields.every((field) => `${nameOf(place)}.`.startsWith(`${field}.`))

test('accepts a value at each bound of a field and rejects a value beyond the bound', async (t) => {
  const { app } = await createWorld()
  const routes = new Map(
    app.routeTable.flatMap(({ method, url, schema }) =>
      [method]
        .flat()
        .map((verb): [string, typeof schema] => [
          `${verb} ${url.replace(/:(\w+)(\([^)]*\))?/g, '{$1}')}`,
          schema,
        ]),
    ),
  )
  const faults: string[] = []
  const shorter: string[] = []
  let count = 0
  for (const [path, operations] of Object.entries(document.paths))
    for (const [verb, operation] of Object.entries(operations)) {
      const name = `${verb.toUpperCase()} ${path}`
      for (const [part, schema] of partsOf(operation)) {
        const attempts = boundedIn(schema).flatMap((bounded) =>
          attemptsAt(bounded).map((attempt) => ({ ...attempt, bounded })),
        )
        if (attempts.length === 0) continue
        const own = routes.get(name)?.[PARTS[part]]
        assert.ok(own, `${name} has no schema of its ${part}`)
        const validate = compileInput(own)
        for (const { bound, value, isInside, bounded } of attempts) {
          const what = `${name} ${nameOf(bounded.place)}`
          if (value === undefined) {
            shorter.push(what)
            continue
          }
          const made = build(schema, { place: bounded.place, value })
          const result = validate(part === 'body' ? made : asText(made))
          const wrong =
            'error' in result && result.error instanceof InputError ? Object.keys(result.error.fields) : []
          count += 1
          if (!(isInside ? wrong.length === 0 : names(wrong, bounded.place)))
            faults.push(
              `${what}: ${JSON.stringify(value)?.slice(0, 40)} is ${isInside ? 'within' : 'beyond'} its ${bound} and ${wrong.length > 0 ? `rejected for ${wrong}` : 'accepted'}`,
            )
        }
      }
    }
  t.diagnostic(`sent ${count} values`)
  assert.ok(count > 5000, `sent only ${count} values`)
  assert.deepEqual(faults, [])
  assert.deepEqual(shorter, SHORTER_BY_PATTERN)
})

function partsOf({ parameters = [], requestBody }: Operation): [keyof typeof PARTS, Schema][] {
  const of = (where: string): Schema => {
    const found = parameters.filter((each) => each.in === where)
    return {
      type: 'object',
      properties: Object.fromEntries(found.map(({ name, schema }) => [name, schema])),
      required: found.filter(({ required }) => required).map(({ name }) => name),
    }
  }
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  return [['path', of('path')], ['query', of('query')], ...(body ? [['body', body] as const] : [])].filter(
    ([, schema]) => schema !== undefined,
  ) as [keyof typeof PARTS, Schema][]
}
