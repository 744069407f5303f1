/**
 * Payment providers send each notice early, late, twice or never, in random order. Part of `npm run torture`.
 */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { addJob } from '#platform/jobs'
import { alipayFields, alipayNotice } from '#test/fixtures/alipay-double.ts'
import { type DoublePayment, stripeEvents, stripeNotice } from '#test/fixtures/payment-services.ts'
import type { SignedNotice } from '#test/fixtures/payment-suite.ts'
import { askEmbedded, openSite, type Random, randomOf } from '#test/fixtures/payments.ts'
import { send, startServer } from '#test/fixtures/sites.ts'
import { wechatRefundNotice } from '#test/fixtures/wechat-double.ts'
import { type Provider, startDoubles, tell } from './providers-fault.ts'

const ORDERS = 240
const AT_ONCE = 6
const AMOUNT = 900
const REFUND = 200
const DAY_MS = 86_400_000
const PATIENCE_MS = 120_000

type Told = { provider: Provider; notice: SignedNotice }

/** Sends most notices once or twice, in the first or the second round, and a fifth of them never. */
function schedule(random: Random, told: Told, early: Told[], late: Told[]) {
  const chance = random()
  if (chance < 0.2) return
  if (chance < 0.65) early.push(told)
  if (chance > 0.5) late.push(told)
  if (chance > 0.9) late.push(told)
}

function shuffle<T>(random: Random, list: T[]): T[] {
  return list
    .map((each) => ({ each, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each)
}

/** Refunds and disputes a payment at the provider. Returns the notices of everything that happened there. */
function happen(random: Random, provider: Provider, recharge: number): SignedNotice[] {
  const { double, name } = provider
  const payment = double.pay(recharge)
  // Two days ago, because a provider publishes the statement of yesterday in the morning of its own time zone.
  payment.paidAt = Date.now() - 2 * DAY_MS
  const notices = [provider.state({ ...payment })]
  const refunds = Math.floor(random() * 3)
  for (let n = 0; n < refunds; n += 1) {
    double.refund(recharge, REFUND)
    notices.push(refundNotice(name, { ...payment }))
  }
  if (name === 'stripe' && random() < 0.5) {
    const end = random() < 0.6 ? 'lost' : 'won'
    notices.push(stripeNotice(stripeEvents.dispute(payment)))
    notices.push(stripeNotice(stripeEvents.dispute(payment, end)))
    payment.dispute = end
  }
  return notices
}

const refundNotice = (name: string, payment: DoublePayment): SignedNotice =>
  name === 'stripe'
    ? stripeNotice(stripeEvents.refunded(payment))
    : name === 'alipay'
      ? alipayNotice(alipayFields(payment))
      : wechatRefundNotice(payment, REFUND)

export async function shuffleNotices(dataDir: string, seed: number): Promise<string> {
  const random = randomOf(seed)
  const { env, providers } = await startDoubles()
  const { site } = await openSite(dataDir)
  const { founder, buyers } = site
  const query = askEmbedded(dataDir)
  const server = startServer(dataDir, { ...env, WORKER: 'inside' })
  const address = await server.address
  const offered = { 'wallet:recharge-types': providers.map(({ method }) => method) }
  assert.ok((await send(address, founder.token, 'PATCH', '/admin/settings', offered)).status < 300)
  const [{ before }] = await query((sql) => sumOf(sql))

  const [early, late]: [Told[], Told[]] = [[], []]
  let notices = 0
  for (let n = 0; n < ORDERS; n += 1) {
    const provider = providers[Math.floor(random() * providers.length)]!
    const buyer = buyers[n % buyers.length]!
    const { method } = provider
    const made = await send(address, buyer.token, 'POST', '/plus-pay/recharge', {
      type: method,
      amount: AMOUNT,
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { order, pingpp_order: charge } = made.body as {
      order: { id: number }
      pingpp_order: { credential: Record<string, unknown> }
    }
    provider.enter(charge.credential[method])
    if (random() < 0.1) continue
    for (const notice of happen(random, provider, order.id)) {
      notices += 1
      schedule(random, { provider, notice }, early, late)
    }
  }
  const tellAll = async (list: Told[]) => {
    const left = shuffle(random, list)
    const tellNext = async () => {
      for (let next = left.pop(); next; next = left.pop())
        assert.equal(await tell(address, next.provider, next.notice), 200)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, tellNext))
  }
  await tellAll(early)

  // The schedules reconcile what never came. They compare the statements of days since the first order.
  await query((sql) => sql`update payments set created_at = created_at - interval '3 days'`)
  const reconcile = async () => {
    await query(async (sql) => {
      await sql`update payments set ask_at = now() where state in ('opened', 'pending')`
      await sql`update payment_notices set ask_at = now() where state = 'waiting'`
      for (const task of ['ask_for_payments', 'compare_statements'])
        await addJob(sql, task, {}, { key: `torture ${task}` })
    })
    const ends = Date.now() + PATIENCE_MS
    for (let left = 1; left > 0; await wait(200)) {
      left = await query(async (sql) => {
        const rows = await sql<
          { key: string }[]
        >`select key from graphile_worker.jobs where key like 'torture %'`
        return rows.length
      })
      assert.ok(Date.now() < ends, 'the schedules did not end')
    }
  }
  await reconcile()
  const soundAt = async (moment: string) => {
    const audit = (await send(address, founder.token, 'GET', '/admin/ledger/audit')).body as {
      balanced: boolean
      drift: unknown[]
    }
    assert.deepEqual([audit.balanced, audit.drift], [true, []], moment)
    const rows = await query(
      (sql) => sql<{ order_number: string; refunded: number; credits: number; dispute: string | null }[]>`
        select p.order_number, p.refunded, p.dispute, (
          select count(*)::int from ledger_postings l
          where l.kind = 'recharge' and l.subject_id = p.recharge_id and l.owner_id > 0
        ) as credits
        from payments p`,
    )
    const known = new Map(rows.map((row) => [row.order_number, row]))
    const sums = { credited: 0, refunded: 0, lost: 0, won: 0, expected: 0 }
    for (const { double, name } of providers)
      for (const payment of double.payments.values()) {
        const row = known.get(payment.order)
        const isPaid = payment.status === 'paid'
        const taken = payment.dispute === 'lost' ? payment.amount : payment.refunded
        assert.deepEqual(
          [payment.order, row?.credits, row?.refunded, row?.dispute ?? null],
          [payment.order, isPaid ? 1 : 0, taken, payment.dispute ?? null],
          `${moment}: order ${payment.order} of ${name}`,
        )
        if (!isPaid) continue
        sums.credited += 1
        sums.refunded += payment.refunded > 0 ? 1 : 0
        if (payment.dispute === 'lost') sums.lost += 1
        if (payment.dispute === 'won') sums.won += 1
        sums.expected += payment.amount - taken
      }
    const [{ before: now }] = await query((sql) => sumOf(sql))
    assert.equal(now - before, sums.expected, `${moment}: the wallets hold another sum`)
    return sums
  }
  await soundAt('after the statements')
  await tellAll(late)
  await reconcile()
  const sums = await soundAt('after the late notices')
  const lost = await query(
    (sql) =>
      sql<{ state: string }[]>`select state from payment_notices where state in ('waiting', 'unmatched')`,
  )
  assert.equal(lost.length, 0, 'a notice still waits')
  server.child.kill('SIGTERM')
  await server.ended
  for (const { double } of providers) double.close()
  return `${ORDERS} orders, ${notices} notices, ${early.length} sent early and ${late.length} late; ${sums.credited} credited once, ${sums.refunded} with refunds, ${sums.lost} lost disputes debited, ${sums.won} won ones not, and the ledger balanced`

  function sumOf(sql: Parameters<Parameters<typeof query>[0]>[0]) {
    const ids = buyers.map(({ id }) => id)
    return sql<[{ before: number }]>`
      select sum(balance)::bigint as before from ledger_accounts
      where currency = 'wallet' and owner_id = any(${ids})`
  }
}
