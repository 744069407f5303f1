import { createDice, type Dice } from '#test/fixtures/dice.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { nameOf, type Operation, readOperations } from './operations.ts'
import { createPools, kindOfParameter } from './pools.ts'
import { createReplyCheck } from './replies.ts'
import { createMaker, type Encoded, type Request, renew } from './requests.ts'
import { seedForFuzzing } from './scene.ts'
import type { Tally } from './tally.ts'

/** Share of a round after which requests may delete content, and after which they may lock out people. */
const DELETES_AFTER = 0.3
const LOCKS_AFTER = 0.85
const LOCKS =
  /^(PATCH|PUT|POST) .*\/admin\/(settings|abilities|address-blocks)|^(PATCH|DELETE) .*\/admin\/(roles|users)\/\{|\/auth\/deletions|^DELETE .*\/v2\/user$/
const JOBS_EVERY = 150
const LATE_MS = 30_000

/**
 * Sends requests to every operation. Takes ids from earlier replies until an operation succeeds, and then also
 * sends invalid variants of its successful requests.
 */
export async function playRound({
  seed,
  length,
  tally,
}: {
  seed: number
  length: number
  tally: Tally
}): Promise<void> {
  const world = await createWorld({ LOG_LEVEL: 'error', WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const { operations, named } = readOperations(world.app)
  const scene = await seedForFuzzing(world)
  const dice = createDice(seed)
  const pools = createPools(dice)
  const make = createMaker({ dice, named, pools, scene, world, tally })
  const check = createReplyCheck(world.app)
  const picture = await flatPicture(40, 30).png().toBuffer()
  const done = new Map<string, Request[]>()
  let order: Operation[] = []
  for (const row of scene.known) pools.add(row)

  const before = tally.requests
  for (let turn = 0; tally.requests - before < length; turn += 1) {
    const progress = (tally.requests - before) / length
    const isOpen = (operation: Operation) => progress > opensAt(operation)
    if (turn % JOBS_EVERY === JOBS_EVERY - 1) await world.work()
    const chance = dice.roll()
    const open = chance < 0.2 ? operations.filter((each) => isOpen(each) && !tally.isDone(nameOf(each))) : []
    const succeeded = chance > 0.6 ? [...done.values()].flat() : []
    if (succeeded.length > 0) {
      const request = dice.pick(succeeded)
      await send(request.operation, await make.variant(request, picture), undefined)
      continue
    }
    if (order.length === 0) order = shuffled(operations.filter(isOpen), dice)
    const operation = open.length > 0 ? dice.pick(open) : order.pop()
    if (!operation) continue
    const request = await make.request(operation, done.get(operation.path) ?? [])
    if (request) await send(operation, await make.encoded(request, picture), request)
    else tally.miss(nameOf(operation), 'no id is known')
  }

  /** Ends the sanctions of a person, who must write again. */
  async function lift(person: Person): Promise<void> {
    const { body } = await world.as(scene.founder, 'GET', `/admin/sanctions?user=${person.id}&limit=100`)
    for (const { id } of body?.data ?? []) await world.as(scene.founder, 'DELETE', `/admin/sanctions/${id}`)
  }

  async function send(operation: Operation, encoded: Encoded, request: Request | undefined): Promise<void> {
    const { url, payload, headers, caller } = encoded
    const name = nameOf(operation)
    // Reports a request that hangs, and leaves the decision to the timeout of the run.
    const late = setTimeout(
      () => console.log(`still waiting for ${operation.method} ${url}`),
      LATE_MS,
    ).unref()
    const answer = await (caller
      ? world.as(caller, operation.method, url, payload, headers)
      : world.guest(operation.method, url, payload, headers)
    ).catch((error: unknown): Answer => ({ status: 599, body: String(error), headers: {} }))
    clearTimeout(late)
    tally.count(name, answer.status, request !== undefined, reasonOf(answer))
    const found = check(operation, answer)
    if (found)
      tally.fault(name, found.fault, `${operation.method} ${url} ${describe(payload)} → ${found.because}`)
    if (answer.status < 300) {
      pools.learn(operation.path, request?.row ?? {}, answer.body, caller?.id)
      if (request) {
        const known = done.get(operation.path) ?? []
        done.set(operation.path, [...known, request].slice(-12))
      }
    }
    if (caller && codeOf(answer) === 'silenced') await lift(caller)
    // Renews the token, because the request may have signed out the caller.
    if (answer.status === 401 && caller) await renew(world, caller)
    if (request && answer.status === 404 && dice.roll() < 0.3) {
      const parameter = /.*\{(\w+)\}/.exec(operation.path)?.[1]
      const kind = parameter && kindOfParameter(operation.path, parameter)
      if (kind && request.row[kind] !== undefined) pools.forget(kind, request.row[kind])
    }
  }
}

const codeOf = ({ headers }: Answer) => headers['x-error-code']

function opensAt(operation: Operation): number {
  if (LOCKS.test(nameOf(operation))) return LOCKS_AFTER
  return operation.method === 'DELETE' ? DELETES_AFTER : -1
}

const reasonOf = ({ headers, body }: Answer) =>
  [headers['x-error-code'], JSON.stringify(body?.errors)].filter(Boolean).join(' ').slice(0, 200)

function shuffled<T>(values: T[], dice: Dice): T[] {
  return values
    .map((value) => ({ value, at: dice.roll() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

function describe(body: unknown): string {
  if (body === undefined) return 'without a body'
  return Buffer.isBuffer(body) ? `with a form of ${body.length} bytes` : JSON.stringify(body).slice(0, 2000)
}
