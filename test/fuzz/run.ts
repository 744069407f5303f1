import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { createDice } from '#test/fixtures/dice.ts'
import { hostileQuery } from '#test/fixtures/hostile.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createWorld, type Person } from '#test/world.ts'
import { createInputs } from './inputs.ts'
import { encodeForm, type Operation, readOperations } from './operations.ts'
import { createTally, type Tally } from './tally.ts'

const { seed, requests } = JSON.parse(process.env.KITH_FUZZ ?? '{}') as { seed: number; requests: number }
/** Number of requests per database. Deletions of content leave too little for further requests. */
const ROUND = 6000
const BEFORE_END = 0.75
const MOST_FAULTS = 20
const PATIENCE_MS = 30_000

const faults = new Set<string>()
let tally: Tally | undefined
const begun = performance.now()

for (let from = 0, round = 0; from < requests; from += ROUND, round += 1)
  test(`answers round ${round} of random requests without faults`, { timeout: 3_600_000 }, async () => {
    if (faults.size < MOST_FAULTS) await playRound(round, Math.min(ROUND, requests - from))
    const seconds = Math.round((performance.now() - begun) / 1000)
    console.log([`After ${seconds} s, seed ${seed}:`, ...(tally?.lines() ?? [])].join('\n'))
    assert.deepEqual([...faults], [])
  })

async function playRound(round: number, length: number): Promise<void> {
  const world = await createWorld({ LOG_LEVEL: 'error' })
  const { operations, named } = readOperations(world.app)
  tally ??= createTally(operations.length)
  const dice = createDice(seed * 1000 + round)
  const inputs = createInputs(dice, named)
  const kept = await seedForAccess(world)
  const administrator = await world.person({ roles: ['founder', 'owner'] })
  const picture = await flatPicture(40, 30).png().toBuffer()
  const callers: Record<string, (Person | undefined)[]> = {
    guest: [undefined],
    person: [kept.owner, kept.owner, kept.stranger],
    administrator: [administrator],
  }
  const found = new Map<string, string[]>()
  let order: Operation[] = []

  for (let n = 0; n < length; n += 1) {
    if (order.length === 0) order = shuffled(operations.filter(has(n / length)))
    const operation = order.pop()
    assert.ok(operation)
    const role = dice.pick(['guest', 'person', 'person', 'administrator', 'administrator'])
    const caller = dice.pick(callers[role] ?? [])
    const { url, body, headers } = await requestFor(operation)
    const said = `${operation.method} ${url} as ${role} ${describe(body)}`
    const answer = await Promise.race([
      caller
        ? world.as(caller, operation.method, url, body, headers)
        : world.guest(operation.method, url, body, headers),
      new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined).unref()),
    ]).catch((error: unknown) => ({ status: 599, body: String(error) }))
    const status = answer?.status ?? 598
    tally.count(role, `${operation.method} ${operation.path}`, status)
    if (status >= 500) {
      const name = `${operation.method} ${operation.path} ${status}`
      if (!faults.has(name)) console.log(`${status} at request ${n} of round ${round}: ${said}`, answer?.body)
      faults.add(name)
      if (faults.size >= MOST_FAULTS) return
    }
    if (answer && status < 300) remember(operation, answer.body)
    // Renews the token, because the request may have signed out the caller.
    if (status === 401 && caller) caller.token = (await issueToken(world.sql, caller.id)).access_token
  }

  function has(progress: number) {
    return ({ isDestructive }: Operation) => !isDestructive || progress > BEFORE_END
  }

  function shuffled(values: Operation[]): Operation[] {
    return values
      .map((value) => ({ value, at: dice.roll() }))
      .sort((one, other) => one.at - other.at)
      .map(({ value }) => value)
  }

  function remember({ path, method }: Operation, body: unknown) {
    if (path.includes('{') || !['GET', 'POST'].includes(method)) return
    const rows = Array.isArray(body) ? body : [body, ...Object.values(body ?? {})].flat()
    const ids = rows
      .map((row) => (typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined))
      .filter((id) => typeof id === 'number' || typeof id === 'string')
    const before = found.get(path) ?? []
    found.set(path, [...ids.slice(0, 5).map(String), ...before].slice(0, 20))
  }

  /** Mostly fills in existing ids, because other ids return 404 before any other check. */
  function addressOf({ path }: Operation): string {
    const usual = kept.address(path).split('/')
    return path
      .split('/')
      .map((part, index, parts) => {
        if (!part.startsWith('{')) return part
        const known = found.get(parts.slice(0, index).join('/')) ?? []
        const chance = dice.roll()
        if (chance < 0.05) return inputs.segment()
        if (known.length > 0 && (chance < 0.35 || path.includes('/admin/'))) return dice.pick(known)
        return chance < 0.75 ? (usual[index] ?? '1') : String(1 + dice.below(12))
      })
      .join('/')
  }

  async function requestFor(operation: Operation) {
    const isSpoilt = dice.roll() < 0.35
    const query: Record<string, unknown> = {}
    for (const { name, required, schema } of operation.query)
      if (required || dice.roll() < 0.35)
        query[name] = isSpoilt && dice.roll() < 0.4 ? inputs.hostile() : inputs.valid(schema, name)
    const url = addressOf(operation) + hostileQuery(query)
    const made = operation.body ? inputs.body(operation.body, isSpoilt) : undefined
    if (!operation.isForm) return { url, body: made, headers: {} }
    const form = await encodeForm(typeof made === 'object' && made !== null ? made : {}, picture)
    return { url, ...form }
  }
}

function describe(body: unknown): string {
  if (body === undefined) return 'without a body'
  return Buffer.isBuffer(body) ? `with a form of ${body.length} bytes` : JSON.stringify(body).slice(0, 2000)
}
