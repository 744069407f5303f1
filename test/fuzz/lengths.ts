import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { issueToken } from '#modules/tokens/index.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { createDice, type Dice } from '#test/fixtures/dice.ts'
import { hostileQuery } from '#test/fixtures/hostile.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { sitePaths } from '#test/fixtures/site-paths.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { findGrowth, type Work } from './growth.ts'
import { createInputs, type Schema } from './inputs.ts'
import { encodeForm, type Operation, readOperations } from './operations.ts'

const { seed, all, only, from } = JSON.parse(process.env.KITH_FUZZ ?? '{}') as {
  seed: number
  all: boolean
  /** Part of the titles of the inputs to measure. */
  only: string
  /** First input of a process that replaces a killed one. */
  from: number
}
const TOKENS = [
  ...'*_~`[]()!<>@#&;:/.\\ \n\t-+=|"\'{}%,0aé中😀\u00ad\u0301\uff9e',
  ...['](', '![', '@![', '<!--', '&#', 'http://'],
]
/** Patterns that were expensive once, or are in similar parsers. Each run tries them on every long input. */
const KNOWN = ['*_x', '[', '![](', '`', '<', '*a_ ', '&', '\u00ad@', '@![a](', '\uff9e\u0301', ' \n']
const LONG = 1000
const UNBOUNDED = 100_000
/** Node reads 16 KB of a request line and its headers, and a percent-encoded Chinese character takes nine bytes. */
const QUERY_MOST = 1800
const ATTEMPTS = 12
const SEEDED_ID = 1

type Field = { name: string; isQuery: boolean; bound: number; make(pattern: string, length: number): unknown }
type Input = { operation: Operation; field: Field; title: string; index: number }
type Measure = (pattern: string, length: number) => Promise<Work>

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('spends linear work on every input', { timeout: 24 * 3_600_000 }, async () => {
  await buildSite()
  const world = await createWorld({ LOG_LEVEL: 'error', WEB: 'on' })
  const { operations, named } = readOperations(world.app)
  const kept = await seedForAccess(world)
  const callers = [kept.owner, kept.stranger, await world.person({ roles: ['founder', 'owner'] })]
  const picture = await flatPicture(40, 30).png().toBuffer()
  const tally = { inputs: 0, accepted: 0, pages: 0, calls: 0 }
  const inputs = operations
    .filter(({ isDestructive, isAlias }) => !isDestructive && (all || !isAlias))
    // An administrator may change content or accounts that other operations need.
    .sort((one, other) => Number(isAdmin(one)) - Number(isAdmin(other)))
    .flatMap((operation) => fieldsOf(operation, named).map((field) => ({ operation, field })))
    .map((each, index): Input => {
      const { operation, field } = each
      return { ...each, index, title: `${operation.method} ${operation.path} ${field.name}` }
    })
    .filter(({ index, title }) => index >= from && title.includes(only))
  for (const input of inputs) {
    const dice = createDice(seed * 1000 + input.index)
    const measure = await prepare(input, dice)
    for (const pattern of patternsFor(input.field, dice)) {
      const curve = await findGrowth(input.field.bound, (length) => measure(pattern, length), collectGarbage)
      if (curve === undefined) continue
      await tell({ fault: `${input.title}: ${JSON.stringify(pattern)} in ${curve}` })
      break
    }
  }
  console.log(
    `${tally.calls} calls with ${tally.inputs} inputs, ${tally.accepted} of them accepted, ${tally.pages} with a page`,
  )

  /** Finds a caller, a body and the pages that show the text, and returns a function that measures them. */
  async function prepare(input: Input, dice: Dice): Promise<Measure> {
    const { operation, field } = input
    const random = createInputs(dice, named)
    const schema = resolve(operation.body ?? {}, named)
    const plain = (each: Schema, name: string) =>
      is(resolve(each, named), 'array') ? [SEEDED_ID] : random.valid(each, name)
    // Differs between inputs, because every page contains the viewer's own fields.
    const mark = `mark${input.index}x`
    let [caller, body] = [callers[0]!, {}]
    let answer: Answer | undefined
    for (let n = 0; n < ATTEMPTS && !(answer && answer.status < 300); n += 1) {
      caller = callers[n % callers.length]!
      body = Object.fromEntries(
        (schema.required ?? []).map((name) => [name, plain(schema.properties?.[name] ?? {}, name)]),
      )
      // Some operations require one of several optional fields.
      if (n >= callers.length) body = { ...(random.body(schema, false) as object), ...body }
      answer = await send(mark, mark.length)
    }
    const accepted = answer && answer.status < 300 ? answer : undefined
    const pages: string[] = []
    if (accepted && operation.method !== 'GET')
      for (const page of sitePaths(operation.path, kept.address, idOf(accepted) !== ''))
        if ((all || pages.length === 0) && String((await read(caller, page, accepted)).body).includes(mark))
          pages.push(page)
    tally.inputs += 1
    tally.accepted += accepted ? 1 : 0
    tally.pages += pages.length > 0 ? 1 : 0
    return async (pattern, length) => {
      const work: Work = new Map()
      const reply = await spend('the request', () => send(pattern, length))
      if (reply.status < 300)
        for (const page of pages) await spend(`the page ${page}`, () => read(caller, page, reply))
      return work

      async function spend(name: string, call: () => Promise<Answer>): Promise<Answer> {
        await tell({ index: input.index, call: `${input.title}: ${JSON.stringify(pattern)} in ${name}` })
        const before = await processorMs()
        const given = await call()
        work.set(name, (await processorMs()) - before)
        await tell({})
        tally.calls += 1
        return given
      }
    }

    async function send(pattern: string, length: number): Promise<Answer> {
      const value = { [field.name]: field.make(pattern, length) }
      const query = operation.query
        .filter(({ required }) => required)
        .map((each) => [each.name, random.valid(each.schema, each.name)] as const)
      const url =
        kept.address(operation.path) +
        hostileQuery({ ...Object.fromEntries(query), ...(field.isQuery ? value : {}) })
      const sent = operation.body && { ...body, ...(field.isQuery ? {} : value) }
      const form = operation.isForm ? await encodeForm(sent ?? {}, picture) : undefined
      const given = await world.as(caller, operation.method, url, form?.body ?? sent, form?.headers)
      // Publishes a contribution, because only published articles have a page.
      if (operation.path.endsWith('/currency-news'))
        await world.sql`update news set audit_status = 0, published_at = now() where audit_status <> 0`
      // Renews the token, because the request may have signed out the caller.
      if (given.status === 401) caller.token = (await issueToken(world.sql, caller.id)).access_token
      return given
    }
  }

  function read(caller: Person, page: string, reply: Answer): Promise<Answer> {
    const headers = { accept: 'text/html', cookie: cookieOf(caller) }
    return world.guest('GET', `http://127.0.0.1${page.replace('{id}', idOf(reply))}`, undefined, headers)
  }
})

/** Id of what an operation created, which is in the reply or in a field of it. */
const idOf = ({ body }: Answer): string =>
  String([body, ...Object.values(body ?? {})].map((each) => each?.id).find(Number) ?? '')

/** Reports to `scripts/fuzz.ts`, which kills this process when a call takes too long. */
const tell = (event: { index?: number; call?: string; fault?: string }) =>
  new Promise<void>((done) => process.send?.(event, () => done()))

/** Processor time of this thread. Sleeps first, because the kernel updates the figure when the thread sleeps. */
async function processorMs(): Promise<number> {
  await pause(1)
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}

function patternsFor({ bound }: Field, { below, pick }: Dice): string[] {
  const random = () => Array.from({ length: 1 + below(4) }, () => pick(TOKENS)).join('')
  const some = Array.from({ length: all ? 200 : bound < LONG ? 2 : 3 }, random)
  const pairs = all ? TOKENS.flatMap((one) => [one, ...TOKENS.map((other) => one + other)]) : []
  return bound < LONG ? some : [...KNOWN, ...pairs, ...some]
}

const isAdmin = ({ path }: Operation) => path.includes('/admin/')

const resolve = (schema: Schema, named: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : resolve(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named)

const is = ({ type }: Schema, name: string) => [type].flat().includes(name)

function fieldsOf({ body, query }: Operation, named: Record<string, Schema>): Field[] {
  const sent = Object.entries(resolve(body ?? {}, named).properties ?? {})
  return [
    ...query.map(({ name, schema }) => ({ name, schema, isQuery: true })),
    ...sent.map(([name, schema]) => ({ name, schema, isQuery: false })),
  ].flatMap(({ name, schema, isQuery }): Field[] => {
    const known = resolve(schema, named)
    const most = isQuery ? QUERY_MOST : UNBOUNDED
    if (is(known, 'array')) {
      const isText = is(resolve(known.items ?? {}, named), 'string')
      const make = (pattern: string, length: number) =>
        Array.from({ length }, (_, n) => (isText ? pattern : n + 1))
      return [{ name, isQuery, bound: Math.min(known.maxItems ?? most, most), make }]
    }
    if (!is(known, 'string') || known.enum) return []
    return [{ name, isQuery, bound: Math.min(known.maxLength ?? most, most), make: repeated }]
  })
}

/** Counts characters as the schemas do. */
function repeated(pattern: string, length: number): string {
  const points = [...pattern]
  return Array.from({ length }, (_, n) => points[n % points.length]).join('')
}
