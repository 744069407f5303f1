import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { lengthenLists } from '#test/fixtures/long-lists.ts'
import { createWorld } from '#test/world.ts'

const NO_CURSOR: Record<string, string> = {
  '/checkin-ranks': 'a ranking continues by offset',
  '/feeds/ranks': 'a ranking continues by offset',
  '/news/ranks': 'a ranking continues by offset',
  '/question-ranks/answers': 'a ranking continues by offset',
  '/question-ranks/experts': 'a ranking continues by offset',
  '/question-ranks/likes': 'a ranking continues by offset',
  '/ranks/balance': 'a ranking continues by offset',
  '/ranks/followers': 'a ranking continues by offset',
  '/ranks/income': 'a ranking continues by offset',
  '/chats': 'continues by `before`, because new messages move conversations to the top',
  '/chats/messages': 'continues by `before`, like the messages of one conversation',
  '/around-amap': 'the order changes when users move',
  '/news/categories/pinneds': 'returns all current pins in one response',
  '/news/{news}/correlations': 'returns the most similar articles, which have no stable order',
}

/** Lists with paging in both directions, which the tests of their modules cover. */
const BIDIRECTIONAL: Record<string, string> = {
  '/chats/{chat}/messages':
    'returns the newest messages first, and newer messages in ascending order with `after`',
}

type Schema = {
  $ref?: string
  type?: string
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
} & {
  'x-key'?: string
}
type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = {
  deprecated?: boolean
  parameters?: Parameter[]
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: Operation }>
  components: { schemas: Record<string, Schema> }
}
const resolve = (schema: Schema): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

function placeOf(operation: Operation): string | undefined {
  const schema = Object.values(operation.responses['200']?.content ?? {})[0]?.schema
  if (!schema) return undefined
  const { type, properties = {} } = resolve(schema)
  if (type === 'array') return ''
  return ['data', 'comments', 'feeds', 'posts'].find(
    (name) => resolve(properties[name] ?? {}).type === 'array',
  )
}

type List = { path: string; place: string; query: Map<string, Parameter> }
const lists: List[] = Object.entries(document.paths).flatMap(([path, { get }]) => {
  const place = get && !get.deprecated ? placeOf(get) : undefined
  const query = new Map(
    (get?.parameters ?? []).filter((each) => each.in === 'query').map((each) => [each.name, each]),
  )
  return place !== undefined && query.has('limit')
    ? [{ path: path.replace('/api/v2', ''), place, query }]
    : []
})

test('offers a cursor for every paged list except those in NO_CURSOR (conventions-39)', () => {
  assert.ok(lists.length > 120, `saw only ${lists.length} lists`)
  const without = lists.filter(({ query }) => !query.has('after')).map(({ path }) => path)
  assert.deepEqual(without.toSorted(), Object.keys(NO_CURSOR).toSorted())
})

test('accepts `q` in every list that has another search parameter (conventions-40)', () => {
  const others = ['search', 'key', 'keyword', 'keywords', 'name', 'subject', 'title']
  const without = lists.filter(({ query }) => others.some((name) => query.has(name)) && !query.has('q'))
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  )
})

function valuesOf({ enum: listed, minimum = 0, maximum = Number.POSITIVE_INFINITY }: Schema) {
  if (listed) return listed
  return maximum - minimum < 5 ? Array.from({ length: maximum - minimum + 1 }, (_, n) => minimum + n) : []
}

function variantsOf({ path, query }: List): string[] {
  const closed = [...query.values()].filter(({ name }) => name !== 'fetch_by')
  const needed = [...query.values()]
    .filter(
      ({ name, required }) =>
        (required && name !== 'q') || (name === 'type' && path === '/user/notifications'),
    )
    .map(({ name, schema }) => `${name}=${schema.enum?.at(-1) ?? (schema.type === 'integer' ? 1 : 0.2)}`)
  const single = closed.flatMap(({ name, schema }) => valuesOf(schema).map((value) => `${name}=${value}`))
  const sorted = (query.get('sort')?.schema.enum ?? []).map((value) => `sort=${value}&order=asc`)
  if (path === '/search') needed.push('q=x', 'type=users')
  return ['', ...single, ...sorted].map((variant) => {
    const given = new URLSearchParams(needed.join('&'))
    for (const [name, value] of new URLSearchParams(variant)) given.set(name, value)
    return given.toString()
  })
}

type Item = number | { [name: string]: Item | string }

const cursorOf = (item: Item, key: string): Item | string =>
  key
    .split('.')
    .reduce<Item | string>((value, name) => (typeof value === 'object' ? (value[name] as Item) : value), item)

const PAGE = 3
const ITEMS = 14

test('returns each item once when paging through a list (conventions-39)', async (t) => {
  const { as, person, sql } = await createWorld()
  const viewer = await person({ roles: ['founder'] })
  await fillTables(sql, 400)
  await lengthenLists(sql)
  const faults: string[] = []
  const short: string[] = []
  for (const list of lists.filter(({ path }) => !(path in NO_CURSOR || path in BIDIRECTIONAL))) {
    const key = list.query.get('after')?.schema['x-key'] ?? 'id'
    let longest = 0
    for (const variant of variantsOf(list)) {
      if (variant.includes('type=random')) continue
      const read = async (id: number, parameters: string) => {
        const path = list.path.replace(/\{\w+\}/g, String(id))
        const { status, body } = await as(viewer, 'GET', `${path}?${variant}&${parameters}`)
        if (![200, 403, 404].includes(status))
          faults.push(`${status} at ${path}?${variant}&${parameters}: ${JSON.stringify(body)}`)
        // A search returns one list for each kind of content.
        const items =
          status !== 200
            ? []
            : list.place === ''
              ? body
              : (body[list.place] ?? Object.values(body).find(Array.isArray) ?? [])
        return (items as Item[]).map((item) => cursorOf(item, key))
      }
      for (const id of list.path.includes('{') ? [7, 1, 9, 2, 8, 11, 12, 13] : [0]) {
        const whole = await read(id, 'limit=100')
        longest = Math.max(longest, whole.length)
        if (whole.length <= PAGE) continue
        if (new Set(whole).size < whole.length) faults.push(`${list.path}?${variant} has something twice`)
        const walked: (Item | string)[] = await read(id, `limit=${PAGE}`)
        const wanted = whole.slice(0, ITEMS)
        while (walked.length < wanted.length) {
          const next = await read(id, `limit=${PAGE}&after=${encodeURIComponent(String(walked.at(-1)))}`)
          if (next.length === 0) break
          walked.push(...next)
        }
        if (walked.slice(0, ITEMS).join() !== wanted.join())
          faults.push(`${list.path}?${variant}: ${walked.join()} and not ${wanted.join()}`)
        break
      }
    }
    if (longest <= PAGE) short.push(`${list.path} ${longest}`)
  }
  t.diagnostic(`walked ${lists.length} lists`)
  assert.deepEqual(faults, [])
  assert.deepEqual(short, [], 'lists that have too little to walk through')
})
