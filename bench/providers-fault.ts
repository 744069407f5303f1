/** Kills servers during payments and refunds through each provider. Part of `npm run torture`. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { alipayDouble, alipayFields, alipayNotice } from '#test/fixtures/alipay-double.ts'
import {
  type Double,
  type DoublePayment,
  STRIPE_HOOK,
  STRIPE_KEY,
  stripeDouble,
  stripeEvents,
  stripeNotice,
} from '#test/fixtures/payment-services.ts'
import type { SignedNotice } from '#test/fixtures/payment-suite.ts'
import { askEmbedded, openSite, randomOf } from '#test/fixtures/payments.ts'
import { crash, send, startServer } from '#test/fixtures/sites.ts'
import { wechatDouble, wechatNotice, wechatTransaction } from '#test/fixtures/wechat-double.ts'

const GRANT = 1_000_000
const PAYERS = 6
const PATIENCE_MS = 120_000

export type Provider = {
  name: string
  method: string
  double: Double
  enter(data: unknown): void
  state(payment: DoublePayment): SignedNotice
}

export async function startDoubles() {
  const [stripe, alipay, wechat] = [await stripeDouble(), await alipayDouble(), await wechatDouble()]
  const env = {
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET: STRIPE_HOOK,
    STRIPE_URL: stripe.url,
    ...alipay.env,
    ...wechat.env,
  }
  const providers: Provider[] = [
    {
      name: 'stripe',
      method: 'stripe',
      double: stripe,
      enter() {},
      state: (payment) => stripeNotice(stripeEvents.completed(payment)),
    },
    {
      name: 'alipay',
      method: 'AlipayOrder',
      double: alipay,
      enter: (data) => alipay.enter(data),
      state: (payment) => alipayNotice(alipayFields(payment)),
    },
    {
      name: 'wechat',
      method: 'WechatOrder',
      double: wechat,
      enter() {},
      state: (payment) => wechatNotice(wechatTransaction(payment)),
    },
  ]
  return { env, providers }
}

export const tell = async (address: string, { name }: Provider, { body, headers }: SignedNotice) =>
  (await fetch(`${address}/payments/${name}/notices`, { method: 'POST', body, headers })).status

export async function killWhilePaying(dataDir: string, seed: number, kills: number): Promise<string> {
  const random = randomOf(seed)
  const { env: doubles, providers } = await startDoubles()
  const env = { ...doubles, WORKER: 'inside' }
  const { site } = await openSite(dataDir)
  const { founder, buyers } = site
  const query = askEmbedded(dataDir)
  const counts = { opened: 0, cut: 0 }

  const pay = async (address: string) => {
    const provider = providers[Math.floor(random() * providers.length)]!
    const buyer = buyers[Math.floor(random() * buyers.length)]!
    const { double, method } = provider
    const made = await send(address, buyer.token, 'POST', '/plus-pay/recharge', { type: method, amount: 300 })
    if (made.status !== 201) return
    counts.opened += 1
    const { order, pingpp_order: charge } = made.body as {
      order: { id: number }
      pingpp_order: { credential: Record<string, unknown> }
    }
    provider.enter(charge.credential[method])
    if (random() < 0.2) return
    const payment = double.pay(order.id)
    if (random() < 0.1) double.faults.push('lost')
    const chance = random()
    if (chance < 0.6) await tell(address, provider, provider.state(payment))
    if (chance < 0.3) await tell(address, provider, provider.state(payment))
    if (chance > 0.5 && chance < 0.8)
      await send(address, buyer.token, 'POST', '/walletRecharge/checkOrders', {
        out_trade_no: String(order.id),
      })
    if (random() < 0.3) {
      const refund = { recharge_id: order.id, amount: 100, spent: 'site', reason: 'torture' }
      await send(address, founder.token, 'POST', '/admin/payment-refunds', refund)
    }
  }
  const payUntilGone = async (address: string) => {
    const next = async () => {
      for (;;)
        try {
          await pay(address)
        } catch (error) {
          if (!(error instanceof TypeError)) throw error
          counts.cut += 1
          return
        }
    }
    await Promise.all(Array.from({ length: PAYERS }, next))
  }

  let server = startServer(dataDir, env)
  const offered = { 'wallet:recharge-types': providers.map(({ method }) => method) }
  const set = await send(await server.address, founder.token, 'PATCH', '/admin/settings', offered)
  assert.ok(set.status < 300, JSON.stringify(set))
  for (let n = 0; n < kills; n += 1) {
    const paying = payUntilGone(await server.address)
    await wait(200 + random() * 500)
    await crash(server, n % 2 === 0 ? join(dataDir, 'postgres', 'cluster') : undefined)
    await paying
    server = startServer(dataDir, env)
  }

  const address = await server.address
  for (const { double } of providers) double.faults.length = 0
  const ends = Date.now() + PATIENCE_MS
  for (let left = 1; left > 0; ) {
    left = await query(async (sql) => {
      await sql`update payments set ask_at = now() where state in ('opened', 'pending')`
      await sql`update payment_refunds set ask_at = now() where state = 'asked'`
      await sql`select graphile_worker.add_job('ask_for_payments')`
      await wait(1000)
      const orders = await sql<{ order_number: string }[]>`
        select order_number from payments where state in ('opened', 'pending')`
      const paid = orders.filter(({ order_number: order }) =>
        providers.some(({ double }) => double.payments.get(order)?.status === 'paid'),
      )
      const [row] = await sql<[{ open: number }]>`
        select count(*)::int as open from payment_refunds where state = 'asked'`
      return paid.length + row.open
    })
    assert.ok(left === 0 || Date.now() < ends, `${left} payments or refunds are still open`)
  }

  const audit = (await send(address, founder.token, 'GET', '/admin/ledger/audit')).body
  assert.deepEqual(
    [(audit as { balanced: boolean }).balanced, (audit as { drift: unknown[] }).drift],
    [true, []],
  )
  const credited = await query(
    (sql) => sql<{ order_number: string; credits: number; refunded: number }[]>`
      select p.order_number, p.refunded, (
        select count(*)::int from ledger_postings l
        where l.kind = 'recharge' and l.subject_id = p.recharge_id and l.owner_id > 0
      ) as credits
      from payments p`,
  )
  const known = new Map(credited.map((row) => [row.order_number, row]))
  let expected = GRANT * buyers.length
  const paid: Record<string, number> = {}
  for (const { name, double } of providers)
    for (const payment of double.payments.values()) {
      const row = known.get(payment.order)
      const isPaid = payment.status === 'paid'
      assert.deepEqual([payment.order, row?.credits], [payment.order, isPaid ? 1 : 0])
      assert.deepEqual([payment.order, row?.refunded], [payment.order, payment.refunded])
      if (!isPaid) continue
      paid[name] = (paid[name] ?? 0) + 1
      expected += payment.amount - payment.refunded
    }
  const ids = buyers.map(({ id }) => id)
  const [wallet] = await query(
    (sql) => sql<[{ sum: number }]>`
      select sum(balance)::bigint as sum from ledger_accounts where currency = 'wallet' and owner_id = any(${ids})`,
  )
  assert.equal(wallet.sum, expected)
  server.child.kill('SIGTERM')
  await server.ended
  for (const { double } of providers) double.close()
  const sums = Object.entries(paid).map(([name, count]) => `${count} by ${name}`)
  return `${kills} kills, ${counts.opened} orders, ${counts.cut} cut off; of the paid ones (${sums.join(', ')}) each was credited once, refunds were made once, and the ledger balanced`
}
