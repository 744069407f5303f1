import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { lengthenLists } from '#test/fixtures/long-lists.ts'
import { createWorld } from '#test/world.ts'
import { ADMINISTRATION } from './list-filters/administration.ts'
import { COMMUNITY } from './list-filters/community.ts'
import { varyRows } from './list-filters/data.ts'
import { type Filter, fieldOf, type Item, type ListRow } from './list-filters/filter.ts'
import { SCOPES } from './list-filters/scopes.ts'

/** Parameters that change no rows: `trees` adds fields. */
const PAGING = new Set(['limit', 'page', 'after', 'before', 'offset', 'trees'])

type Schema = {
  $ref?: string
  type?: string
  enum?: (string | number)[]
  anyOf?: Schema[]
  maximum?: number
  properties?: Record<string, Schema>
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
const resolve = (schema: Schema = {}): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

function listsIn(operation: Operation): string[] {
  const declared = Object.values(operation.responses['200']?.content ?? {})[0]?.schema
  const { type, properties = {} } = resolve(declared?.anyOf?.[0] ?? declared)
  if (type === 'array') return ['']
  return Object.keys(properties).filter((name) => resolve(properties[name]).type === 'array')
}

type List = { path: string; places: string[]; query: Map<string, Schema>; narrowing: string[] }

const all: List[] = Object.entries(document.paths).flatMap(([path, { get }]) => {
  const places = get && !get.deprecated ? listsIn(get) : []
  const parameters = (get?.parameters ?? []).filter((each) => each.in === 'query')
  const query = new Map(parameters.map(({ name, schema }) => [name, schema]))
  const narrowing = parameters
    .filter(({ name, required }) => !required && !PAGING.has(name))
    .map(({ name }) => name)
    .filter((name) => !(query.has('sort') && ['sort', 'order'].includes(name)))
  return places.length > 0 ? [{ path: path.replace('/api/v2/', ''), places, query, narrowing }] : []
})
const lists = all.filter(({ narrowing }) => narrowing.length > 0)
const table = new Map<string, ListRow>([
  ...Object.entries(ADMINISTRATION).map(([path, row]) => [`admin/${path}`, row] as const),
  ...Object.entries(COMMUNITY),
])

test('declares the effect of every optional parameter of a list except paging and sorting', () => {
  assert.ok(lists.length > 100, `saw only ${lists.length} lists`)
  const described = lists.flatMap(({ path, narrowing }) => narrowing.map((name) => `${path} ${name}`))
  const known = [...table].flatMap(([path, { filters }]) =>
    Object.keys(filters).map((name) => `${path} ${name}`),
  )
  assert.deepEqual(known.toSorted(), described.toSorted())
})

const world = await createWorld()
const viewer = await world.person({ roles: ['founder'] })
await fillTables(world.sql, 200)
await lengthenLists(world.sql)
await varyRows(world.sql)

const keyOf = ({ path, query }: List, item: Item): string =>
  String(fieldOf(item, table.get(path)?.key ?? query.get('after')?.['x-key'] ?? 'id'))

type Read = { items: Item[]; total: number | undefined }

async function readPage(list: List, address: string, query: string): Promise<Read> {
  const { status, body } = await world.as(viewer, 'GET', `/${address}?${query}`)
  if (status !== 200) throw new Error(`${status} at ${address}?${query}: ${JSON.stringify(body)}`)
  const place = list.places.at(-1) ?? ''
  const items = place === '' ? body : body[place]
  return { items, total: body.total }
}

const unfiltered = new Map<string, Promise<Read>>()

function readUnfiltered(list: List, address: string, query: string): Promise<Read> {
  const what = `${address}?${query}`
  const read = unfiltered.get(what) ?? readWhole(list, address, query)
  unfiltered.set(what, read)
  return read
}

async function readWhole(list: List, address: string, query: string): Promise<Read> {
  if (!list.query.has('limit')) return readPage(list, address, query)
  const most = Math.min(100, list.query.get('limit')?.maximum ?? 100)
  const items: Item[] = []
  let total: number | undefined
  for (;;) {
    const page = await readPage(list, address, `${query}&limit=${most}${nextOf(list, items)}`)
    items.push(...page.items)
    total = page.total
    if (page.items.length < most || nextOf(list, items) === '') return { items, total }
  }
}

function nextOf(list: List, items: Item[]): string {
  if (items.length === 0) return ''
  if (list.query.has('after')) return `&after=${encodeURIComponent(keyOf(list, items.at(-1)))}`
  return list.query.has('offset') ? `&offset=${items.length}` : ''
}

/** Tries several ids, because the lists of some ids have too few rows. */
async function addressOf(list: List, row: ListRow): Promise<string> {
  for (const id of row.id ? [row.id] : [7, 9, 1, 2, 8, 11, 12, 13]) {
    const address = list.path.replace(/\{\w+\}/g, String(id))
    if (address === list.path) return address
    const { items } = await readUnfiltered(list, address, join(row.given)).catch(() => ({ items: [] }))
    if (items.length > 3) return address
  }
  return list.path.replace(/\{\w+\}/g, '7')
}

/** PostgreSQL sorts null after all values. The id breaks ties. */
function sortItems(list: List, items: Item[], by: (item: Item) => unknown, isDescending: boolean): Item[] {
  const compare = (one: unknown, other: unknown) => {
    if (one === other) return 0
    if (one === null || other === null) return one === null ? 1 : -1
    return (one as number) < (other as number) ? -1 : 1
  }
  const idOf = (item: Item) => Number(keyOf(list, item))
  const sorted = items.toSorted(
    (one, other) => compare(by(one), by(other)) || compare(idOf(one), idOf(other)),
  )
  return isDescending ? sorted.reverse() : sorted
}

async function faultsOf(
  list: List,
  address: string,
  query: string,
  expected: string[],
  isWhole = false,
): Promise<string[]> {
  const what = `${address}?${query}`
  const { items, total } = await readWhole(list, address, query)
  const shown = items.map((item) => keyOf(list, item))
  const faults: string[] = []
  if (shown.join() !== expected.join()) faults.push(`${what}\n  is       ${shown}\n  and not  ${expected}`)
  if (total !== undefined && total !== expected.length)
    faults.push(`${what} has the total ${total} and not ${expected.length}`)
  if (isWhole || !list.query.has('limit')) return faults
  const first = (await readPage(list, address, `${query}&limit=2`)).items.map((item) => keyOf(list, item))
  if (first.join() !== shown.slice(0, 2).join())
    faults.push(`${what}&limit=2 is ${first.join()} and not ${shown.slice(0, 2).join()}`)
  return faults
}

for (const list of lists) {
  const row = table.get(list.path)
  for (const name of list.narrowing) {
    const filter = row?.filters[name]
    if (!row || filter === undefined || typeof filter === 'string') continue
    test(`${list.path} returns exactly the rows that match ${name}`, async () => {
      const address = await addressOf(list, row)
      const base = join(row.given, filter.given)
      const { items } = await readUnfiltered(list, address, base)
      const whole = items.map((item) => keyOf(list, item)).join()
      const values = filter.values(items)
      const faults: string[] = []
      let changes = 0
      for (const value of values) {
        const expected = await expectedOf(list, items, filter, value)
        if (expected.length > 0 && expected.join() !== whole) changes += 1
        const query = join(base, filter.beside, `${name}=${encodeURIComponent(value)}`)
        faults.push(...(await faultsOf(list, address, query, expected, filter.isWhole)))
      }
      assert.deepEqual(faults, [])
      assert.ok(changes > 0, `${values} show all or none of ${items.length} items`)
    })
  }
  const sorts = list.query.get('sort')?.enum ?? []
  if (sorts.length === 0 || !row) continue
  test(`${list.path} sorts by each column`, async () => {
    const address = await addressOf(list, row)
    const { items } = await readUnfiltered(list, address, join(row.given))
    assert.ok(items.length > 3, `has only ${items.length} items to order`)
    const faults: string[] = []
    for (const sort of sorts)
      for (const order of ['asc', 'desc']) {
        const by = row.sorts?.[sort] ?? ((item: Item) => fieldOf(item, String(sort)))
        const expected = sortItems(list, items, by, order === 'desc').map((item) => keyOf(list, item))
        const query = join(row.given, `sort=${sort}&order=${order}`)
        faults.push(...(await faultsOf(list, address, query, expected)))
      }
    assert.deepEqual(faults, [])
  })
}

const scoped = all.filter(({ path, query }) => path.includes('{') && (query.has('limit') || path in SCOPES))

test('declares the expected rows of every list with an id in its path', () => {
  assert.ok(scoped.length > 30, `saw only ${scoped.length} lists`)
  assert.deepEqual(scoped.map(({ path }) => path).toSorted(), Object.keys(SCOPES).toSorted())
})

for (const list of scoped) {
  const scope = SCOPES[list.path]
  if (!scope || 'reason' in scope) continue
  test(`${list.path} returns only rows of the id in its path`, async () => {
    const given = join(table.get(list.path)?.given)
    const faults: string[] = []
    let longest = 0
    for (const id of [7, 9, 1]) {
      const path = `/${list.path.replace(/\{\w+\}/g, String(id))}?${given}`
      const limit = list.query.has('limit') ? '&limit=100' : ''
      const { status, body } = await world.as(viewer, 'GET', `${path}${limit}`)
      if (status !== 200) continue
      const found = await world.sql.unsafe<{ id: number | string }[]>(scope.rows(id))
      const within = new Set(found.map((row) => String(row.id)))
      for (const place of list.places) {
        const items: Item[] = place === '' ? body : body[place]
        const shown: string[] = items.map((item) => String(item.id ?? item))
        const others = shown.filter((key) => !within.has(key))
        if (others.length > 0) faults.push(`${path} shows ${others} of another id in ${place}`)
        longest = Math.max(longest, shown.length)
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(longest > 0, 'has no rows at any id')
  })
}

function join(...queries: (string | undefined)[]): string {
  const joined = new URLSearchParams()
  for (const query of queries) for (const [name, value] of new URLSearchParams(query)) joined.set(name, value)
  return joined.toString()
}

async function expectedOf(list: List, items: Item[], filter: Filter, value: string): Promise<string[]> {
  const { matches, statements, sorts } = filter
  if (statements) {
    const found = await world.sql.unsafe<{ id: number }[]>(statements[value] ?? '')
    return found.map(({ id }) => String(id))
  }
  const kept = sorts
    ? sortItems(list, items, (item) => sorts.by(item, value), sorts.isDescending(value))
    : items.filter((item) => matches?.(item, value))
  return kept.map((item) => keyOf(list, item))
}
