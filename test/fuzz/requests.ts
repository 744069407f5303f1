import { issueToken } from '#modules/tokens/index.ts'
import type { Dice } from '#test/fixtures/dice.ts'
import { HOSTILE_SEGMENTS, hostileQuery } from '#test/fixtures/hostile.ts'
import type { Person, World } from '#test/world.ts'
import { createInputs, type Inputs, type Schema } from './inputs.ts'
import { encodeForm, nameOf, type Operation } from './operations.ts'
import { kindOfField, kindOfParameter, kindsOfPath, type Pools, type Row, TEXT_ID } from './pools.ts'
import { PASSWORD, type Scene } from './scene.ts'
import type { Tally } from './tally.ts'

/** A request before its encoding, so that a variant can change one part of it. */
export type Request = {
  operation: Operation
  caller: Person | undefined
  row: Row
  query: Record<string, unknown>
  body: unknown
}
export type Encoded = {
  url: string
  payload: unknown
  headers: Record<string, string>
  caller: Person | undefined
}

/** Operations whose users must not be those who write. */
const PUNISHES = /\/admin\/(sanctions|users|registrations|reports)/
const BAD_QUERIES = [
  `a${'[b]'.repeat(5)}=1`,
  'a[]=1&'.repeat(101),
  'a[]=%zz',
  '%',
  'a=%ff',
  '__proto__[x]=1',
  '&&=',
]
const UNIQUE = /^(name|title|login|key|slug|word|groupname|subject|version_code)$/

export async function renew({ sql }: World, person: Person): Promise<void> {
  person.token = (await issueToken(sql, person.id)).access_token
}

/** Makes requests that fit the schemas and the community, and invalid variants of them. */
export function createMaker({
  dice,
  named,
  pools,
  scene,
  world,
  tally,
}: {
  dice: Dice
  named: Record<string, Schema>
  pools: Pools
  scene: Scene
  world: World
  tally: Tally
}) {
  const { people, founder } = scene
  const inputs: Inputs = createInputs(dice, named)
  const byId = new Map(people.map((person) => [person.id, person]))
  let marks = 0

  function callerOf(operation: Operation, row: Row): Person | undefined {
    const chance = dice.roll()
    const needsFounder =
      operation.path.includes('/admin/') || / forbidden/.test(tally.lastOf(nameOf(operation)) ?? '')
    if (needsFounder && chance < 0.85) return founder
    if (chance < 0.06) return undefined
    const reader = byId.get(Number(row.reader))
    if (chance < 0.5 && reader) return reader
    const author = byId.get(Number(row.user))
    if (chance < 0.75 && author) return author
    return dice.pick(people)
  }

  /** Replaces ids by ids of the same kind, and values that must be unique or valid now. */
  async function fitted(
    { path, caller, row, isFresh }: { path: string; caller: Person | undefined; row: Row; isFresh: boolean },
    value: unknown,
    name: string,
  ): Promise<unknown> {
    const inner = (item: unknown, key: string) => fitted({ path, caller, row, isFresh }, item, key)
    if (Array.isArray(value)) {
      // One after the other, because each takes from the dice.
      const items: unknown[] = []
      for (const item of value) items.push(await inner(item, name))
      return items
    }
    if (typeof value === 'object' && value !== null) {
      const fields: [string, unknown][] = []
      for (const [key, item] of Object.entries(value))
        fields.push([key, await inner(item, key === 'id' && name !== '' ? name : key)])
      return withContact(Object.fromEntries(fields), caller)
    }
    if (typeof value === 'string' && /password(_confirmation)?$/.test(name)) return PASSWORD
    if (name === 'url' && path.includes('webhooks')) return scene.listener
    if (name === 'type' && /recharge(\/orders)?$/.test(path)) return 'manual'
    if (name === 'login') return caller?.name ?? founder.name
    if (typeof value === 'number' && name.endsWith('_mark')) {
      marks += 1
      return 7_000_000 + marks
    }
    const kind = kindOfField(path, name)
    if (caller && value !== null && (kind === 'file' || /^(avatar|logo|bg|storage)$/.test(name))) {
      if (typeof value === 'string' && !/^\d+$/.test(value)) return stored(caller, scene.freshNode)
      const file = await stored(caller, scene.freshFile)
      return typeof value === 'string' ? String(file) : file
    }
    if (isFresh && typeof value === 'string' && UNIQUE.test(name))
      return `${value.slice(0, 6)}${dice.below(100_000)}${value.endsWith('?') ? '?' : ''}`
    const isId =
      typeof value === 'number' ||
      (typeof value === 'string' && (TEXT_ID.test(name) || /^\d+(,\d+)*$/.test(value)))
    if (!isId || kind === undefined) return value
    const id =
      kind === 'user' && PUNISHES.test(path)
        ? dice.pick(scene.idle).id
        : (TEXT_ID.test(name) && row[kind]) || pools.pick(kind)
    if (id === undefined) return value
    return typeof value === 'string' ? String(id) : Number.isSafeInteger(Number(id)) ? Number(id) : value
  }

  /** Renews the token and tries again, because a request may have ended the session. */
  async function stored<T>(person: Person, store: (person: Person) => Promise<T>): Promise<T | undefined> {
    for (const isLast of [false, true]) {
      try {
        return await store(person)
      } catch {
        if (isLast) return undefined
        await renew(world, person)
      }
    }
  }

  /** Fills in a known contact and the code that was sent to it, or a new contact. */
  function withContact(fields: Record<string, unknown>, caller: Person | undefined): object {
    const ways = ['email', 'phone'].filter((way) => typeof fields[way] === 'string')
    const made = { ...fields }
    if ('verifiable_code' in fields) {
      const sent = world.outbox.findLast(({ code }) => code !== undefined)
      if (!sent) return made
      delete made.email
      delete made.phone
      const isMail = sent.to.includes('@')
      return {
        ...made,
        verifiable_code: sent.code,
        verifiable_type: isMail ? 'mail' : 'sms',
        [isMail ? 'email' : 'phone']: sent.to,
        ...('login' in made ? { login: sent.to } : {}),
      }
    }
    const known = caller && dice.roll() < 0.5 ? scene.contactOf(caller) : undefined
    if (ways.includes('email')) made.email = known?.email ?? `fuzz${dice.below(100_000)}@example.com`
    if (ways.includes('phone')) made.phone = known?.phone ?? `138${10_000_000 + dice.below(80_000_000)}`
    if (ways.length === 2) delete made[dice.pick(ways)]
    return made
  }

  async function bodyOf(
    { path, body, example }: Operation,
    caller: Person | undefined,
    row: Row,
  ): Promise<unknown> {
    if (!body) return undefined
    const isExample = example !== undefined && dice.roll() < 0.65
    const made = isExample ? example : inputs.body(body, false)
    if (typeof made !== 'object' || made === null) return made
    // Recorded examples omit passwords.
    const secrets = Object.keys(resolve(body, named).properties ?? {}).filter((name) =>
      /password(_confirmation)?$/.test(name),
    )
    const given =
      dice.roll() < 0.7 ? { ...Object.fromEntries(secrets.map((name) => [name, ''])), ...made } : made
    return fitted({ path, caller, row, isFresh: !isExample || dice.roll() < 0.6 }, given, '')
  }

  /** Ids that operations without parameters in their path take from the query or the body. */
  const textIdsOf = ({ body, query }: Operation): string[] =>
    [...query.map(({ name }) => name), ...Object.keys(resolve(body ?? {}, named).properties ?? {})]
      .filter((name) => TEXT_ID.test(name))
      .flatMap((name) => kindOfField('', name) ?? [])

  async function request(operation: Operation, former: Request[]): Promise<Request | undefined> {
    const { path } = operation
    const kinds = kindsOfPath(path)
    // Undoes what another method of the path did, or repeats what succeeded.
    const again = former.length > 0 && dice.roll() < 0.35 ? dice.pick(former) : undefined
    const chosen = kinds.length > 0 ? kinds : textIdsOf(operation)
    const row = again?.row ?? (chosen.length > 0 ? pools.fill(chosen) : {})
    if (!row) return undefined
    if (PUNISHES.test(path) && kinds.includes('user')) row.user = dice.pick(scene.idle).id
    const caller = again ? again.caller : callerOf(operation, row)
    const query: Record<string, unknown> = {}
    for (const { name, required, schema } of operation.query)
      if (required || dice.roll() < 0.12)
        query[name] = await fitted({ path, caller, row, isFresh: false }, inputs.valid(schema, name), name)
    return { operation, row, query, caller, body: await bodyOf(operation, caller, row) }
  }

  function address({ operation: { path }, row }: Request): string[] {
    return path
      .split('/')
      .map((part) =>
        part.startsWith('{')
          ? encodeURIComponent(String(row[kindOfParameter(path, part.slice(1, -1))] ?? 1))
          : part,
      )
  }

  async function encoded(request: Request, picture: Buffer): Promise<Encoded> {
    const { operation, caller, query, body } = request
    const url = address(request).join('/') + hostileQuery(query)
    const { properties = {} } = resolve(operation.body ?? {}, named)
    const files = Object.keys(properties).filter((name) => properties[name]?.format === 'binary')
    if (files.length === 0 && (!operation.isForm || dice.roll() < 0.5))
      return { url, caller, payload: body, headers: {} }
    const fields = typeof body === 'object' && body !== null ? body : {}
    const form = await encodeForm(fields, picture, files)
    return { url, caller, payload: form.body, headers: form.headers }
  }

  /** Changes one part of a request that succeeded. */
  async function variant(request: Request, picture: Buffer): Promise<Encoded> {
    const { operation, query, body, caller } = request
    const usual = await encoded(request, picture)
    const fields =
      operation.isForm || typeof body !== 'object' || body === null ? undefined : (body as object)
    const spoilt = (changes: Partial<Request>) => encoded({ ...request, ...changes }, picture)
    const withPath = () => {
      const parts = address(request)
      const places = operation.path.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []))
      if (places.length === 0) return usual
      parts[dice.pick(places)] = dice.roll() < 0.5 ? dice.pick(HOSTILE_SEGMENTS) : String(1 + dice.below(60))
      return { ...usual, url: parts.join('/') + hostileQuery(query) }
    }
    const withQuery = () => {
      const names = [...operation.query.map(({ name }) => name), 'limit', 'after']
      return spoilt({ query: { ...query, [dice.pick(names)]: inputs.hostile() } })
    }
    const withoutField = () => {
      const { [dice.pick(Object.keys(fields ?? {})) as never]: _, ...others } = fields as object
      return spoilt({ body: others })
    }
    const withField = () => spoilt({ body: { ...fields, [fieldOf(operation, fields)]: inputs.hostile() } })
    const atBound = () => {
      const name = fieldOf(operation, fields)
      return spoilt({
        body: {
          ...fields,
          [name]: beyond(resolve(resolve(operation.body ?? {}, named).properties?.[name] ?? {}, named)),
        },
      })
    }
    const ways: (() => Encoded | Promise<Encoded>)[] = [
      () => ({
        ...usual,
        caller: dice.roll() < 0.4 ? undefined : dice.pick(people.filter((each) => each !== caller)),
      }),
      () => ({
        ...usual,
        caller: undefined,
        headers: { ...usual.headers, authorization: dice.pick(['Bearer x', 'Basic eDp4', '']) },
      }),
      () => ({
        ...usual,
        headers: { ...usual.headers, 'idempotency-key': dice.pick(['a key', '', 'é', 'x'.repeat(300)]) },
      }),
      withPath,
      withPath,
      withQuery,
      () => ({ ...usual, url: `${usual.url.split('?')[0]}?${dice.pick(BAD_QUERIES)}` }),
    ]
    if (fields)
      ways.push(
        withField,
        withField,
        withField,
        atBound,
        atBound,
        () => spoilt({ body: inputs.hostile() }),
        () => ({ ...usual, payload: '{"a":', headers: { 'content-type': 'application/json' } }),
        () => ({
          ...usual,
          payload: '<a/>',
          headers: { 'content-type': dice.pick(['text/xml', 'text/plain', 'a']) },
        }),
        () => ({
          ...usual,
          payload: undefined,
          url: address(request).join('/') + hostileQuery({ ...query, ...fields }),
        }),
        () => ({
          ...usual,
          payload: hostileQuery({ ...fields }).slice(1),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      )
    if (fields && Object.keys(fields).length > 0) ways.push(withoutField, withoutField)
    return await dice.pick(ways)()
  }

  const fieldOf = ({ body }: Operation, fields: object | undefined): string =>
    dice.pick([
      ...Object.keys(resolve(body ?? {}, named).properties ?? {}),
      ...Object.keys(fields ?? {}),
      'unknown_field',
    ])

  /** A value next to the range that a schema accepts. */
  function beyond(schema: Schema): unknown {
    const { maxLength, minLength = 0, minimum, maximum, maxItems, items } = schema
    const ways: unknown[] = [[], {}, null, '']
    if (maxLength !== undefined && maxLength < 200_000)
      ways.push('y'.repeat(maxLength + 1), '好'.repeat(maxLength))
    if (minLength > 0) ways.push('y'.repeat(minLength - 1))
    if (minimum !== undefined) ways.push(minimum - 1, String(minimum))
    if (maximum !== undefined) ways.push(maximum + 1, maximum)
    if (maxItems !== undefined && maxItems <= 2000)
      ways.push(Array(maxItems + 1).fill(inputs.valid(items ?? {}, '')))
    return dice.pick(ways)
  }

  return { request, encoded, variant }
}

const resolve = (schema: Schema, named: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : resolve(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named)
