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
import { paymentTools } from '#test/fixtures/payment-suite.ts'
import { untilWaiting } from '#test/waiting.ts'
import { reportPayments } from '../../../commands/maintenance.ts'
import { queryDisputes } from './notices.ts'
import { compareStatement, compareStatements, queryDuePayments } from './reconcile.ts'
import { requestDueRefunds } from './refunds/service.ts'

const stripe = await stripeDouble()
const noon = (day: string) => Date.parse(`${day}T12:00:00Z`)
const { app, as, audit, ctx, founder, open, owns, person, reconcile, sql, stateOf, tell, work } =
  await paymentTools({
    provider: 'stripe',
    method: 'stripe',
    env: { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET: STRIPE_HOOK, STRIPE_URL: stripe.url },
    double: stripe,
    enter() {},
    noon,
  })

const notify = (event: StripeEvent) => tell(stripeNotice(event))
const list = async (query = '') =>
  (await as(founder, 'GET', `/admin/payment-notices?limit=100&${query}`)).body.data
/** Runs the schedule that looks for the payments of waiting notices. */
const pursue = async () => {
  await sql`update payment_notices set ask_at = now(), received_at = now() - interval '2 hours'`
  await sql`select graphile_worker.add_job('ask_for_payments')`
  await work()
}
const report = async () => {
  const lines: string[] = []
  const isGood = await reportPayments(ctx, (line) => lines.push(line))
  return { isGood, text: lines.join('\n') }
}

test('debits lost disputes whose notices precede the notice of the payment (money-25)', async () => {
  const anna = await person()
  const ids = [await open(anna), await open(anna)]
  for (const id of ids) {
    const payment = stripe.pay(id)
    await notify(stripeEvents.dispute(payment))
    await notify(stripeEvents.dispute(payment, 'lost'))
    await notify(stripeEvents.completed(payment))
    assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  }
  assert.equal((await owns(anna)).wallet, 0)
  assert.equal((await audit()).balanced, true)
})

test('debits a payment once when its notices arrive at the same time (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  const events = [
    stripeEvents.dispute(payment),
    stripeEvents.dispute(payment, 'lost'),
    stripeEvents.completed(payment),
    stripeEvents.refunded(payment),
  ]
  await Promise.all([...events, ...events].map(notify))
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
  assert.deepEqual(
    (await list(`q=${payment.payment}`)).filter(({ state }: { state: string }) => state !== 'applied'),
    [],
  )
})

test('applies a notice at once that arrives while its payment is being credited (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  // Keeps the transaction of the payment open after its last statement.
  await sql.unsafe(`
    create function wait_at_end() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(411); return null; end';
    create constraint trigger waits after update on payments deferrable initially deferred
      for each row execute function wait_at_end()`)
  const both: Promise<void>[] = []
  let isDone = false
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(411)`
    both.push(notify(stripeEvents.completed(payment)))
    await untilWaiting(sql)
    both.push(notify(stripeEvents.dispute(payment, 'lost')).finally(() => (isDone = true)))
    await Promise.race([untilWaiting(sql, 2), both[1]])
    assert.equal(isDone, false, 'the notice did not wait for its payment')
  })
  await Promise.all(both)
  await sql`drop trigger waits on payments`
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
})

test('debits 43 lost disputes once each when notices are shuffled, repeated and lost (money-25)', async () => {
  const kinds = ['completed', 'refunded', 'created', 'closed'] as const
  const plan = (result: 'lost' | 'won') =>
    fc.record({
      result: fc.constant(result),
      isRefunded: fc.boolean(),
      // Each entry sends a notice at a place. A kind without an entry is lost, and one with two is repeated.
      notices: fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(9999)), { maxLength: 7 }),
    })
  type Plan = ReturnType<typeof plan> extends fc.Arbitrary<infer P> ? P : never
  const exactly = (size: number) => ({ minLength: size, maxLength: size })
  const Plans = fc.tuple(fc.array(plan('lost'), exactly(43)), fc.array(plan('won'), exactly(7)))
  const run = async (plans: Plan[]) => {
    const anna = await person()
    const day = '2025-06-01'
    const sent: { at: number; event: StripeEvent }[] = []
    const results: { id: number; state: string }[] = []
    let expected = 0
    for (const { result, isRefunded, notices } of plans) {
      const id = await open(anna)
      const payment = stripe.pay(id)
      payment.paidAt = noon(day)
      payment.dispute = result
      if (isRefunded) stripe.refund(id, 100)
      const events = {
        completed: stripeEvents.completed(payment),
        refunded: stripeEvents.refunded(payment),
        created: stripeEvents.dispute(payment),
        closed: stripeEvents.dispute(payment, result),
      }
      for (const [kind, at] of notices) sent.push({ at, event: events[kind] })
      results.push({ id, state: result === 'lost' ? 'refunded' : 'credited' })
      expected += result === 'lost' ? 0 : payment.amount - payment.refunded
    }
    for (const { event } of sent.sort((a, b) => a.at - b.at)) await notify(event)
    await compareStatement(ctx, 'stripe', day)
    for (const { event } of sent) await notify(event)
    for (const { id, state } of results) assert.deepEqual(await stateOf(id), { state, fault: null })
    assert.equal((await owns(anna)).wallet, expected)
  }
  await fc.assert(
    fc.asyncProperty(Plans, ([lost, won]) => run([...lost, ...won])),
    { numRuns: 1, endOnFailure: true },
  )
  const { balanced, drift } = await audit()
  assert.deepEqual([balanced, drift], [true, []])
})

test('applies a stored notice later when applying it fails (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  await notify(stripeEvents.completed(payment))
  await sql`alter table payments add constraint fails check (state <> 'refunded') not valid`
  const { body, headers } = stripeNotice(stripeEvents.dispute(payment, 'lost'))
  const reply = await app.inject({ method: 'POST', url: '/payments/stripe/notices', payload: body, headers })
  assert.equal(reply.statusCode, 500)
  await sql`alter table payments drop constraint fails`
  await pursue()
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
})

test('asks Stripe for the result of an open dispute when its notice is lost (money-25)', async () => {
  const anna = await person()
  const [lost, won] = [await open(anna), await open(anna)]
  for (const id of [lost, won]) {
    const payment = stripe.pay(id)
    payment.dispute = 'needs_response'
    await notify(stripeEvents.completed(payment))
    await notify(stripeEvents.dispute(payment))
  }
  const settle = async () => {
    await sql`select graphile_worker.add_job('compare_statements')`
    await work()
  }
  await settle()
  for (const id of [lost, won]) assert.equal((await stateOf(id))?.state, 'disputed')
  stripe.of(lost).dispute = 'lost'
  stripe.of(won).dispute = 'won'
  await settle()
  assert.equal((await stateOf(lost))?.state, 'refunded')
  assert.equal((await stateOf(won))?.state, 'credited')
  assert.equal((await owns(anna)).wallet, 300)
})

test('debits only the disputed part of a payment, in any order with refunds of the rest (money-25)', async () => {
  const anna = await person()
  const orders: ('paid' | 'lost' | 'refunded')[][] = [
    ['paid', 'lost', 'lost', 'refunded'],
    ['lost', 'paid', 'refunded', 'lost'],
    ['paid', 'refunded', 'lost'],
    ['paid', 'lost'],
  ]
  for (const order of orders) {
    const before = (await owns(anna)).wallet
    const id = await open(anna)
    const payment = stripe.pay(id)
    payment.claimed = 200
    payment.dispute = 'lost'
    for (const each of order) {
      if (each === 'refunded') stripe.refund(id, 50)
      await notify(
        each === 'paid'
          ? stripeEvents.completed(payment)
          : each === 'lost'
            ? stripeEvents.dispute(payment, 'lost')
            : stripeEvents.refunded(payment),
      )
    }
    const taken = order.includes('refunded') ? 250 : 200
    assert.equal((await owns(anna)).wallet - before, payment.amount - taken, order.join())
    const [row] = await sql<[{ state: string; dispute: string; refunded: number }]>`
      select state, dispute, refunded from payments where recharge_id = ${id}`
    assert.deepEqual(row, { state: 'credited', dispute: 'lost', refunded: taken })
  }
  assert.equal((await audit()).balanced, true)
})

test('applies a second dispute of a payment after the first one was won (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  await notify(stripeEvents.completed(payment))
  await notify(stripeEvents.dispute(payment))
  await notify(stripeEvents.dispute(payment, 'won'))
  await notify(stripeEvents.dispute(payment))
  assert.equal((await stateOf(id))?.state, 'credited')
  const { type, object } = stripeEvents.dispute(payment)
  await notify({ type, object: { ...(object as object), id: 'dp_second' } })
  assert.equal((await stateOf(id))?.state, 'disputed')
  payment.dispute = 'lost'
  await queryDisputes(ctx)
  assert.equal((await stateOf(id))?.state, 'refunded')
  assert.equal((await owns(anna)).wallet, 0)
})

test('finds the order of a dispute whose payment is unknown (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  payment.dispute = 'lost'
  await notify(stripeEvents.dispute(payment, 'lost'))
  assert.equal((await list(`q=${payment.payment}`))[0].state, 'waiting')
  await pursue()
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
})

test('lists a notice that never found its payment, except those of other systems (money-25)', async () => {
  const base = { session: '', amount: 300, currency: 'cny', status: 'paid', refunded: 0 } as const
  const unknown = { ...base, order: 'k0123456789_999999', payment: 'pi_of_nobody' }
  const shop = { ...base, order: 'shop-17', payment: 'pi_of_the_shop' }
  stripe.payments.set('unknown', unknown)
  stripe.payments.set('shop', shop)
  for (const payment of [unknown, shop]) await notify(stripeEvents.dispute(payment, 'lost'))
  await pursue()
  assert.equal((await list('q=pi_of_the_shop'))[0].state, 'foreign')
  const [shown] = await list('state=waiting&q=pi_of_nobody')
  assert.deepEqual(
    [shown.provider, shown.source, shown.kind, shown.order_number, shown.recharge_id],
    ['stripe', 'notice', 'dispute', unknown.order, null],
  )
  const { isGood, text } = await report()
  assert.equal(isGood, false)
  assert.match(text, /✗ stripe: dispute of pi_of_nobody .* has no payment/)
  assert.doesNotMatch(text, /pi_of_the_shop/)
  const anna = await person()
  assert.equal((await as(anna, 'GET', '/admin/payment-notices')).status, 403)
  for (const key of ['unknown', 'shop']) stripe.payments.delete(key)
})

test('applies a dispute of a statement when its payment is unknown until later (money-25)', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  const day = '2025-06-02'
  // The charge is on the statement of another day.
  stripe.payments.set('later', { ...payment, order: 'shop-18', paidAt: noon(day), dispute: 'lost' })
  await compareStatement(ctx, 'stripe', day)
  stripe.payments.delete('later')
  assert.equal((await list(`q=${payment.payment}`))[0].source, 'statement')
  await notify(stripeEvents.completed(payment))
  assert.deepEqual(await stateOf(id), { state: 'refunded', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
})

test('credits nothing for a checkout session that Kith did not open (money-26)', async () => {
  const anna = await person()
  const id = await open(anna)
  const own = stripe.of(id)
  const other = { ...own, session: 'cs_test_of_a_link', payment: 'pi_of_a_link', status: 'paid' } as const
  await notify(stripeEvents.completed(other))
  await notify(stripeEvents.expired(other))
  assert.deepEqual(await stateOf(id), { state: 'pending', fault: null })
  assert.equal((await owns(anna)).wallet, 0)
  const [shown] = await list('q=pi_of_a_link')
  assert.deepEqual([shown.state, shown.fault, shown.recharge_id], ['unmatched', 'other_session', id])
  assert.match((await report()).text, /✗ stripe: payment of pi_of_a_link .* another checkout/)
  await notify(stripeEvents.completed(stripe.pay(id)))
  assert.equal((await owns(anna)).wallet, 300)
  assert.equal((await audit()).balanced, true)
})

test('credits no charge whose payment intent is not that of the session (money-26)', async () => {
  const anna = await person()
  const id = await open(anna)
  const other = { ...stripe.of(id), session: '', payment: 'pi_of_a_stranger', refunded: 100 }
  // A charge names the order in its metadata, which another payment may copy.
  await notify(stripeEvents.refunded(other))
  assert.equal((await stateOf(id))?.state, 'pending')
  stripe.pay(id)
  await reconcile(id)
  assert.equal((await owns(anna)).wallet, 300)
  const [shown] = await list('q=pi_of_a_stranger')
  assert.deepEqual([shown.state, shown.fault], ['unmatched', 'other_payment'])
})

test('deletes notices of payments after their retention', async () => {
  const before = (await list()).length
  assert.ok(before > 0)
  await sql`update payment_notices set received_at = now() - interval '100 days' where state = 'applied'`
  await sql`select graphile_worker.add_job('delete_old_payment_notices')`
  await work()
  const left: { state: string; source: string }[] = await list()
  assert.ok(left.length > 0 && left.length < before)
  for (const { state, source } of left) assert.ok(state !== 'applied' || source === 'statement')
})

test('asks for payments, refunds and notices whose times lie in the future, because the clock of the database was ahead', async () => {
  const anna = await person()
  const [id, refunded] = [await open(anna), await open(anna)]
  stripe.pay(id)
  await notify(stripeEvents.completed(stripe.pay(refunded)))
  const asked = await as(founder, 'POST', '/admin/payment-refunds', {
    recharge_id: refunded,
    reason: 'Wrong',
  })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  await sql`delete from graphile_worker._private_jobs where task_id in (
    select id from graphile_worker._private_tasks where identifier = 'refund_payment')`
  for (const table of ['payments', 'payment_refunds'])
    await sql`
      update ${sql(table)} set ask_at = now() + interval '2 days', asks = 3, updated_at = now() + interval '2 days'
      where recharge_id in (${id}, ${refunded})`
  await queryDuePayments(ctx)
  await requestDueRefunds(ctx)
  assert.equal((await stateOf(id))?.state, 'credited')
  assert.equal((await as(founder, 'GET', `/admin/payment-refunds/${asked.body.id}`)).body.state, 'done')
})

test('compares all statements since the last compared one, for example after a restore of an old backup', async () => {
  const anna = await person()
  const id = await open(anna)
  const payment = stripe.pay(id)
  await notify(stripeEvents.completed(payment))
  const [{ day }] = await sql<[{ day: string }]>`select (current_date - 15)::text as day`
  payment.paidAt = noon(day)
  stripe.refund(id, 100)
  await sql`delete from payment_statements`
  await sql`update payments set created_at = now() - interval '30 days' where recharge_id = ${id}`
  await compareStatements(ctx)
  assert.equal((await sql`select from payment_statements where day = ${day}::date`).length, 0)
  await sql`delete from payment_statements`
  await sql`
    insert into payment_statements (provider, day, lines, differences) values ('stripe', current_date - 20, 0, 0)`
  await compareStatements(ctx)
  assert.equal((await owns(anna)).wallet, payment.amount - 100)
  const days =
    await sql`select from payment_statements where day between current_date - 20 and current_date - 3`
  assert.equal(days.length, 18)
})

test('compares no statement early, and closes no order, while the clock of the node is two days ahead', async (t) => {
  const anna = await person()
  const id = await open(anna)
  const real = Date.now
  const clock = t.mock.timers
  clock.enable({ apis: ['Date'], now: real() + 2 * 86_400_000 })
  await sql`update payments set ask_at = now() where recharge_id = ${id}`
  await queryDuePayments(ctx)
  await compareStatements(ctx)
  clock.reset()
  assert.equal((await stateOf(id))?.state, 'pending')
  assert.equal(stripe.of(id).status, 'open')
  const early = await sql`select day from payment_statements where day >= current_date`
  assert.equal(early.length, 0)
})
