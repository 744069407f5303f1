import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, sql, person } = world
const { publish } = feedsOf(world)
const founder = await person({ roles: ['founder', 'owner'] })

const PEOPLE = 3
const FEEDS = 4
const Who = fc.nat(PEOPLE - 1)
const Feed = fc.nat(FEEDS - 1)
const Sum = fc.integer({ min: 1, max: 60 })
const Key = fc.option(fc.nat(3), { nil: undefined, freq: 2 })

/** Random actions with money. `key` selects an idempotency key, which several actions may share. */
const Step = fc.oneof(
  fc.record({ do: fc.constant('transfer' as const), who: Who, to: Who, amount: Sum, key: Key }),
  fc.record({
    do: fc.constant('transform' as const),
    who: Who,
    amount: fc.integer({ min: 100, max: 130 }),
    key: Key,
  }),
  fc.record({
    do: fc.constant('buy' as const),
    who: Who,
    feed: Feed,
    way: fc.constantFrom('points', 'wallet'),
    key: Key,
  }),
  fc.record({ do: fc.constant('pin' as const), who: Who, feed: Feed, amount: Sum, key: Key }),
  fc.record({ do: fc.constant('decide' as const), feed: Feed, accept: fc.boolean() }),
  fc.record({ do: fc.constant('reward' as const), who: Who, to: Who, amount: Sum, key: Key }),
  fc.record({ do: fc.constant('adjust' as const), who: Who, amount: fc.integer({ min: -80, max: 80 }) }),
  fc.record({
    do: fc.constant('withdraw' as const),
    who: Who,
    value: fc.integer({ min: 100, max: 160 }),
    key: Key,
  }),
  fc.record({ do: fc.constant('settle' as const), who: Who, accept: fc.boolean() }),
)
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never

type Site = { people: Person[]; feeds: { id: number; node: number; author: number }[] }

async function settle(): Promise<Site> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => person()))
  for (const { id } of people)
    for (const area of ['points', 'wallet'])
      await as(founder, 'POST', `/admin/users/${id}/${area}`, { amount: 200, reason: 'start' })
  const feeds: Site['feeds'] = []
  for (let n = 0; n < FEEDS; n += 1) {
    const author = n % PEOPLE
    const id = await publish(people[author]!, { amount: 25 })
    feeds.push({ id, node: (await as(founder, 'GET', `/feeds/${id}`)).body.paid_node, author })
  }
  return { people, feeds }
}

async function send({ people, feeds }: Site, step: Step) {
  const headers = 'key' in step && step.key !== undefined ? { 'idempotency-key': `k${step.key}` } : {}
  const post = (who: number, path: string, body: object) => as(people[who]!, 'POST', path, body, headers)
  switch (step.do) {
    case 'transfer':
      return post(step.who, '/plus-pay/transfer', { user: people[step.to]!.id, amount: step.amount })
    case 'transform':
      return post(step.who, '/plus-pay/transform', { amount: step.amount })
    case 'buy':
      return post(
        step.who,
        `${step.way === 'points' ? '/currency' : ''}/purchases/${feeds[step.feed]!.node}`,
        {},
      )
    case 'pin':
      return post(step.who, `/feeds/${feeds[step.feed]!.id}/currency-pinneds`, {
        amount: step.amount,
        day: 1,
      })
    case 'reward':
      return post(step.who, `/user/${people[step.to]!.id}/new-rewards`, { amount: step.amount })
    case 'adjust':
      return as(founder, 'POST', `/admin/users/${people[step.who]!.id}/points`, {
        amount: step.amount,
        reason: 'x',
      })
    case 'withdraw':
      return post(step.who, '/plus-pay/cashes', { value: step.value, type: 'alipay', account: 'a' })
    case 'decide': {
      const [pin] = await sql<[{ id: number }?]>`
        select id from pins where target_id = ${feeds[step.feed]!.id} and channel = 'feed' and state = 'pending'`
      return (
        pin &&
        as(founder, 'PATCH', `/admin/feed-pinneds/${pin.id}`, { action: step.accept ? 'accept' : 'reject' })
      )
    }
    case 'settle': {
      const [waiting] = await sql<[{ id: number }?]>`
        select id from withdrawals where owner_id = ${people[step.who]!.id} and state = 'pending' order by id limit 1`
      return (
        waiting &&
        as(founder, 'PATCH', `/admin/withdrawals/${waiting.id}`, {
          action: step.accept ? 'accept' : 'reject',
        })
      )
    }
  }
}

function keyedOf(step: Step): { name: string; sent: string } | undefined {
  if (!('key' in step) || step.key === undefined) return undefined
  const { do: kind, who, key, ...rest } = step as Extract<Step, { key?: unknown }>
  const { feed = '', way = '', ...body } = rest as Record<string, unknown>
  const place = kind === 'reward' ? body.to : `${way} ${feed}`
  return { name: `${who} ${key} ${kind} ${place}`, sent: JSON.stringify(body) }
}

function createModel(site: Site) {
  const points = Array<number>(PEOPLE).fill(200)
  const wallet = Array<number>(PEOPLE).fill(200)
  const bought = new Set<string>()
  const pins = new Map<number, { amount: number; state: 'pending' | 'active' }>()
  const withdrawals = Array.from({ length: PEOPLE }, () => [] as number[])
  const answered = new Map<string, string>()
  const take = (from: number[], who: number, amount: number) => {
    if (from[who]! < amount) return false
    from[who]! -= amount
    return true
  }
  const run = (step: Step): boolean => {
    switch (step.do) {
      case 'transfer':
        if (step.who === step.to || !take(wallet, step.who, step.amount)) return false
        wallet[step.to]! += step.amount
        return true
      case 'transform':
        if (!take(wallet, step.who, step.amount)) return false
        points[step.who]! += step.amount
        return true
      case 'buy': {
        const { author } = site.feeds[step.feed]!
        const from = step.way === 'points' ? points : wallet
        if (author === step.who || bought.has(`${step.who} ${step.feed}`) || !take(from, step.who, 25))
          return false
        bought.add(`${step.who} ${step.feed}`)
        from[author]! += 25
        return true
      }
      case 'pin':
        if (site.feeds[step.feed]!.author !== step.who || pins.has(step.feed)) return false
        if (!take(points, step.who, step.amount)) return false
        pins.set(step.feed, { amount: step.amount, state: 'pending' })
        return true
      case 'decide': {
        const pin = pins.get(step.feed)
        if (pin?.state !== 'pending') return false
        if (step.accept) pin.state = 'active'
        else {
          points[site.feeds[step.feed]!.author]! += pin.amount
          pins.delete(step.feed)
        }
        return true
      }
      case 'reward':
        if (step.who === step.to || !take(points, step.who, step.amount)) return false
        points[step.to]! += step.amount
        return true
      case 'adjust':
        if (step.amount === 0) return false
        if (step.amount < 0) return take(points, step.who, -step.amount)
        points[step.who]! += step.amount
        return true
      case 'withdraw':
        if (!take(wallet, step.who, step.value)) return false
        withdrawals[step.who]!.push(step.value)
        return true
      case 'settle': {
        const value = withdrawals[step.who]!.shift()
        if (value === undefined) return false
        if (!step.accept) wallet[step.who]! += value
        return true
      }
    }
  }
  return {
    points,
    wallet,
    apply(step: Step): { ok: boolean; replayed: boolean } {
      const keyed = keyedOf(step)
      if (!keyed) return { ok: run(step), replayed: false }
      const { name, sent } = keyed
      const before = answered.get(name)
      if (before !== undefined) return { ok: before === sent, replayed: before === sent }
      const ok = run(step)
      if (ok) answered.set(name, sent)
      return { ok, replayed: false }
    },
  }
}

async function assertSound({ people }: Site): Promise<{ points: number[]; wallet: number[] }> {
  const { body } = await as(founder, 'GET', '/admin/ledger/audit')
  assert.deepEqual([body.balanced, body.drift], [true, []])
  const accounts = await Promise.all(people.map(async (who) => (await as(who, 'GET', '/user')).body))
  const points = accounts.map((user) => user.currency.sum as number)
  const wallet = accounts.map((user) => user.new_wallet.balance as number)
  for (const balance of [...points, ...wallet]) assert.ok(balance >= 0)
  return { points, wallet }
}

test('matches the balances of a model after random sequences of actions with money', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const site = await settle()
      const model = createModel(site)
      /** Idempotency keys whose rejection the server may have stored. The test does not send them again. */
      const refused = new Set<string>()
      for (const step of steps) {
        const name = keyedOf(step)?.name
        if (name !== undefined && refused.has(name)) continue
        const expected = model.apply(step)
        const answer = await send(site, step)
        const ok = answer !== undefined && answer.status < 300
        if (name !== undefined && answer?.status === 422) refused.add(name)
        assert.equal(ok, expected.ok, `${JSON.stringify(step)} answered ${answer?.status}`)
        assert.equal(
          answer?.headers['idempotency-replayed'] === 'true',
          expected.replayed,
          JSON.stringify(step),
        )
      }
      assert.deepEqual(await assertSound(site), { points: model.points, wallet: model.wallet })
    }),
    { numRuns: 8, endOnFailure: true },
  )
})

test('neither loses nor creates money when payments and withdrawals race (money-1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const site = await settle()
      const answers = await Promise.all(steps.map((step) => send(site, step)))
      for (const answer of answers) assert.ok((answer?.status ?? 200) < 500, JSON.stringify(answer?.body))
      const { points, wallet } = await assertSound(site)
      const fresh = steps.filter(
        (_, n) => (answers[n]?.status ?? 400) < 300 && answers[n]?.headers['idempotency-replayed'] !== 'true',
      )
      const once = new Set<string>()
      for (const step of fresh) {
        const name = step.do === 'buy' ? `${step.who} ${step.feed}` : ''
        assert.ok(name === '' || !once.has(name), `bought twice: ${name}`)
        once.add(name)
      }
      // Points must equal the initial amounts plus conversions and adjustments, less pins. Wallets must equal the
      // initial amounts, less conversions and withdrawals.
      const sum = (of: (step: Step) => number) => fresh.reduce((total, step) => total + of(step), 0)
      const ids = site.people.map(({ id }) => id)
      const [held] = await sql<[{ pins: number; withdrawn: number }]>`
        select
          (select coalesce(sum(amount), 0) from pins where user_id = any(${ids}) and state <> 'rejected')::int as pins,
          (select coalesce(sum(amount), 0) from withdrawals where owner_id = any(${ids}) and state <> 'rejected')::int
            as withdrawn`
      const changed = sum((step) => (step.do === 'transform' ? step.amount : 0))
      const adjusted = sum((step) => (step.do === 'adjust' ? step.amount : 0))
      const total = (list: number[]) => list.reduce((a, b) => a + b, 0)
      assert.equal(total(points), 200 * PEOPLE + changed + adjusted - held.pins)
      assert.equal(total(wallet), 200 * PEOPLE - changed - held.withdrawn)
    }),
    { numRuns: 8, endOnFailure: true },
  )
})
