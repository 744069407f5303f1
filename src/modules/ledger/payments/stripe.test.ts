import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  STRIPE_HOOK,
  STRIPE_KEY,
  type StripeEvent,
  stripeDouble,
  stripeEvents,
  stripeNotice,
} from '#test/fixtures/payment-services.ts'
import { paymentSuite } from '#test/fixtures/payment-suite.ts'
import { compareStatement, compareStatements, paymentHealth } from './reconcile.ts'

const stripe = await stripeDouble()
const suite = await paymentSuite({
  provider: 'stripe',
  method: 'stripe',
  env: { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET: STRIPE_HOOK, STRIPE_URL: stripe.url },
  double: stripe,
  enter() {},
  notices: {
    state: (payment) => stripeNotice(stripeEvents.completed(payment)),
    refunded: (payment) => stripeNotice(stripeEvents.refunded(payment)),
    refused(payment) {
      const event = stripeEvents.completed(payment)
      return [['another secret', stripeNotice(event, { secret: 'whsec_of_somebody' })]]
    },
  },
  acknowledgement: '{}',
  signsAnswers: false,
  noon: (day) => Date.parse(`${day}T12:00:00Z`),
})
const {
  app,
  as,
  audit,
  check,
  ctx,
  differencesOf,
  founder,
  open,
  owns,
  person,
  reconcile,
  sql,
  stateOf,
  work,
} = suite

const notify = async (event: StripeEvent, options?: Parameters<typeof stripeNotice>[1]) => {
  const { body, headers } = stripeNotice(event, options)
  const reply = await app.inject({ method: 'POST', url: '/payments/stripe/notices', payload: body, headers })
  return reply.statusCode
}

test('credits a payment once when its notification is repeated (money-20)', async () => {
  const anna = await person()
  const made = await as(anna, 'POST', '/plus-pay/recharge', { type: 'stripe', amount: 300 })
  assert.equal(made.status, 201)
  const { order, pingpp_order: charge } = made.body
  assert.match(charge.credential.stripe.url, /^https:\/\/checkout\.stripe\.example\//)
  assert.equal((await check(anna, order.id)).status, 202)
  const payment = stripe.pay(order.id)
  const codes = await Promise.all(Array.from({ length: 6 }, () => notify(stripeEvents.completed(payment))))
  assert.deepEqual(new Set(codes), new Set([200]))
  assert.equal((await owns(anna)).wallet, 300)
  assert.equal((await check(anna, order.id)).status, 200)
  const shown = (await as(anna, 'GET', `/plus-pay/orders/${order.id}`)).body
  assert.deepEqual([shown.state, shown.amount], [1, 300])
  assert.equal((await as(founder, 'GET', `/admin/recharges/${order.id}`)).body.reference, payment.payment)
  assert.equal((await audit()).balanced, true)
})

test('rejects payment notifications without a valid signature (money-20)', async () => {
  const anna = await person()
  const id = await open(anna)
  const event = stripeEvents.completed(stripe.pay(id))
  assert.equal(await notify(event, { secret: 'whsec_of_somebody' }), 400)
  assert.equal(await notify(event, { at: Date.now() - 301_000 }), 400)
  assert.equal(await notify(event, { at: Date.now() + 3_600_000 }), 400)
  assert.equal(await notify(event, { livemode: true }), 400)
  const signed = stripeNotice(event)
  const changed = signed.body.replace('"amount_total":300', '"amount_total":301')
  const reply = await app.inject({
    method: 'POST',
    url: '/payments/stripe/notices',
    payload: changed,
    headers: signed.headers,
  })
  assert.equal(reply.statusCode, 400)
  assert.equal((await owns(anna)).wallet, 0)
  const unknown = await app.inject({ method: 'POST', url: '/payments/alipay/notices', payload: 'x' })
  assert.equal(unknown.statusCode, 404)
})

test('records a payment with a wrong amount or currency instead of crediting it (money-22)', async () => {
  const anna = await person()
  const [less, other] = [await open(anna), await open(anna)]
  assert.equal(await notify(stripeEvents.completed(stripe.pay(less, 299))), 200)
  assert.equal(await notify(stripeEvents.completed({ ...stripe.pay(other), currency: 'usd' })), 200)
  assert.equal((await owns(anna)).wallet, 0)
  for (const id of [less, other]) {
    assert.deepEqual(await stateOf(id), { state: 'paid', fault: 'other_amount' })
    assert.deepEqual(await differencesOf(id), ['amount'])
  }
  const list = (await as(founder, 'GET', '/admin/payment-differences?state=open&limit=100')).body
  const row = list.data.find((each: { recharge_id: number }) => each.recharge_id === less)
  assert.deepEqual([row.expected, row.found, row.state], [300, 299, 'open'])
  const url = `/admin/payment-differences/${row.id}`
  assert.equal((await as(anna, 'PATCH', url, { remark: 'mine' })).status, 403)
  assert.equal((await as(founder, 'PATCH', url, {})).status, 422)
  assert.equal((await as(founder, 'PATCH', url, { remark: 'refunded by hand' })).status, 204)
  assert.equal((await as(founder, 'PATCH', url, { remark: 'again' })).status, 403)
  assert.deepEqual((await as(founder, 'GET', url)).body.state, 'resolved')
})

test('credits a payment that arrives after its order was closed (money-20)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  assert.equal(await notify(stripeEvents.expired(payment)), 200)
  assert.equal((await as(anna, 'GET', `/plus-pay/orders/${id}`)).body.state, 1)
  const second = await open(anna)
  await notify(stripeEvents.failed(stripe.of(second)))
  assert.deepEqual(await stateOf(second), { state: 'failed', fault: null })
  await notify(stripeEvents.completed(stripe.pay(second)))
  assert.deepEqual(await stateOf(second), { state: 'credited', fault: null })
  assert.equal((await owns(anna)).wallet, 600)
  assert.equal((await audit()).balanced, true)
})

test('credits an order once when an administrator confirmed it before the payment (money-20)', async () => {
  const anna = await person()
  const id = await open(anna)
  const accept = { action: 'accept', reference: `bank-${id}` }
  assert.equal((await as(founder, 'PATCH', `/admin/recharges/${id}`, accept)).status, 204)
  assert.equal(await notify(stripeEvents.completed(stripe.pay(id))), 200)
  assert.equal((await owns(anna)).wallet, 300)
  assert.deepEqual(await stateOf(id), { state: 'paid', fault: 'credited_otherwise' })
  assert.deepEqual(await differencesOf(id), ['uncredited'])
})

test('charges the site for the part of a refund that the user has spent (money-23)', async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await open(anna)
  const payment = stripe.pay(id)
  stripe.refund(id, 100)
  // Stripe may send the refund notification before the payment notification.
  assert.equal(await notify(stripeEvents.refunded(payment)), 200)
  assert.equal(await notify(stripeEvents.completed(payment)), 200)
  assert.equal((await owns(anna)).wallet, 200)
  assert.equal((await as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 150 })).status, 201)
  stripe.refund(id, 200)
  for (let n = 0; n < 3; n += 1) assert.equal(await notify(stripeEvents.refunded(payment)), 200)
  assert.equal((await owns(anna)).wallet, 0)
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  const [{ paid }] = (await sql`
    select -sum(amount)::int as paid from ledger_postings
    where owner_id = -2 and subject_type = 'payments' and subject_id = ${id}`) as unknown as [
    { paid: number },
  ]
  assert.equal(paid, 150)
  assert.equal((await audit()).balanced, true)
})

test('debits the credited amount when a dispute is lost (money-23)', async () => {
  const anna = await person()
  const [won, lost] = [await open(anna), await open(anna)]
  for (const id of [won, lost]) {
    await notify(stripeEvents.completed(stripe.pay(id)))
    await notify(stripeEvents.dispute(stripe.of(id)))
    assert.equal((await stateOf(id))?.state, 'disputed')
    const listed = (await as(founder, 'GET', `/admin/recharges/${id}`)).body
    assert.deepEqual([listed.payment, listed.dispute], ['disputed', 'open'])
  }
  assert.equal((await paymentHealth(ctx))[0]?.disputes, 2)
  await notify(stripeEvents.dispute(stripe.of(won), 'won'))
  await notify(stripeEvents.dispute(stripe.of(won)))
  await notify(stripeEvents.dispute(stripe.of(lost), 'lost'))
  assert.equal((await stateOf(won))?.state, 'credited')
  assert.equal((await stateOf(lost))?.state, 'refunded')
  assert.equal((await owns(anna)).wallet, 300)
})

test('returns 503 when the payment provider fails', async () => {
  const anna = await person()
  for (const fault of ['timeout', 500, 'garbage', 402] as const) {
    stripe.faults.push(fault)
    const made = await as(anna, 'POST', '/plus-pay/recharge', { type: 'stripe', amount: 300 })
    assert.deepEqual([made.status, made.headers['x-error-code']], [503, 'payment_unavailable'])
  }
  const [row] = await sql<
    { id: number }[]
  >`select max(id)::int as id from recharges where owner_id = ${anna.id}`
  await reconcile(row!.id, { isLate: true })
  assert.deepEqual(await stateOf(row!.id), { state: 'expired', fault: null })
})

test('retries the comparison of a daily statement after a failure (money-22)', async () => {
  const good = await open(await person())
  await sql`update payments set created_at = now() - interval '3 days' where recharge_id = ${good}`
  stripe.faults.push(500)
  const compared = () => sql`select from payment_statements where day > current_date - 5`
  await compareStatements(ctx)
  const first = (await compared()).length
  await compareStatements(ctx)
  assert.equal((await compared()).length, first + 1)
  // The simulated Stripe charges a fee of 0.29 USD, although the payment is in CNY.
  const paid = await open(await person())
  await notify(stripeEvents.completed(stripe.pay(paid)))
  await compareStatement(ctx, 'stripe', new Date().toISOString().slice(0, 10))
  const shown = (await as(founder, 'GET', `/admin/recharges/${paid}`)).body
  assert.deepEqual(
    [shown.payment, shown.dispute, shown.fee, shown.fee_currency],
    ['credited', null, 29, 'usd'],
  )
  const [health] = await paymentHealth(ctx)
  assert.deepEqual([health?.provider, health?.fault], ['stripe', null])
  stripe.faults.push(401)
  assert.deepEqual((await paymentHealth(ctx))[0]?.fault, 'Stripe answered 401')
})

test('lists refunds and payments that fail after they were completed (money-22)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  await notify(stripeEvents.completed(payment))
  stripe.refund(id, 100)
  await notify(stripeEvents.refunded(payment))
  payment.failed = [
    { type: 'refund_failure', id: 're_first', amount: 60 },
    { type: 'refund_failure', id: 're_second', amount: 40 },
    { type: 'payment_failure_refund', id: 'py_returned', amount: 300 },
  ]
  const day = new Date().toISOString().slice(0, 10)
  await compareStatement(ctx, 'stripe', day)
  await compareStatement(ctx, 'stripe', day)
  const list = (await as(founder, 'GET', '/admin/payment-differences?state=open&limit=100')).body.data
  assert.deepEqual(
    list
      .filter((each: { recharge_id: number }) => each.recharge_id === id)
      .map(({ kind, number, expected, found }: Record<string, unknown>) => [kind, number, expected, found])
      .toSorted(),
    [
      ['payment_failed', payment.payment, 300, 300],
      ['refund_failed', 're_first', 100, 60],
      ['refund_failed', 're_second', 100, 40],
    ],
  )
  assert.equal((await owns(anna)).wallet, 200)
})

test('refunds a payment whose dispute was won, but not during a dispute (money-24)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  await notify(stripeEvents.completed(payment))
  await notify(stripeEvents.dispute(payment))
  const refund = { recharge_id: id, amount: 1, reason: 'by agreement' }
  assert.equal((await as(founder, 'POST', '/admin/payment-refunds', refund)).status, 403)
  await notify(stripeEvents.dispute(payment, 'won'))
  assert.equal((await as(founder, 'POST', '/admin/payment-refunds', refund)).status, 201)
  await work()
  assert.equal((await owns(anna)).wallet, 299)
})

const Step = fc.record({
  do: fc.constantFrom(
    ...([
      'pay',
      'notice',
      'again',
      'expire',
      'fail',
      'return',
      'poll',
      'late',
      'refund',
      'kill',
      'dispute',
    ] as const),
  ),
  order: fc.nat(1),
})

test('credits each payment exactly once in random orders of events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Step, { minLength: 4, maxLength: 14 }),
      fc.boolean(),
      async (steps, together) => {
        const anna = await person()
        const ids = [await open(anna, 300), await open(anna, 700)]
        const run = async ({ do: action, order }: (typeof steps)[number]) => {
          const id = ids[order]!
          const payment = stripe.of(id)
          if (action === 'pay' && payment.status === 'open') stripe.pay(id)
          const isPaid = payment.status === 'paid'
          if ((action === 'notice' || action === 'again') && isPaid)
            await notify(stripeEvents.completed(payment))
          if (action === 'expire' && !isPaid) await notify(stripeEvents.expired(payment))
          if (action === 'fail' && !isPaid) await notify(stripeEvents.failed(payment))
          if (action === 'return') await check(anna, id)
          if (action === 'poll') await reconcile(id)
          if (action === 'late') await reconcile(id, { isLate: true })
          if (action === 'refund' && isPaid) {
            stripe.refund(id, 100)
            await notify(stripeEvents.refunded(payment))
          }
          if (action === 'kill') stripe.faults.push('timeout')
          if (action === 'dispute' && isPaid) await notify(stripeEvents.dispute(payment))
        }
        if (together) await Promise.all(steps.map(run))
        else for (const step of steps) await run(step)
        stripe.faults.length = 0
        let expected = 0
        for (const id of ids) {
          const payment = stripe.of(id)
          if (payment.status !== 'paid') continue
          // Notifies about the payment again, because the steps may contain no successful notification.
          await notify(stripeEvents.completed(payment))
          await notify(stripeEvents.refunded(payment))
          expected += payment.amount - payment.refunded
          const [{ credits }] = (await sql`
          select count(*)::int as credits from ledger_postings
          where owner_id = ${anna.id} and kind = 'recharge' and subject_id = ${id}`) as unknown as [
            { credits: number },
          ]
          assert.equal(credits, 1)
        }
        assert.equal((await owns(anna)).wallet, expected)
      },
    ),
    { numRuns: 40 },
  )
  const { balanced, drift } = await audit()
  assert.deepEqual([balanced, drift], [true, []])
})
