import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetSettings, type Settings, updateSettings } from '#modules/settings/index.ts'
import { hashPassword } from '#platform/passwords.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'
import { tasksOn } from '../../worker.ts'
import { writeCheckpoints } from './audit/queries.ts'
import { auditLedger } from './audit/service.ts'

const { as, guest, sql, ctx, person } = await createWorld()
const founder = await person({ roles: ['founder', 'owner'] })

const give = (to: Person, area: 'points' | 'wallet', amount: number) =>
  as(founder, 'POST', `/admin/users/${to.id}/${area}`, { amount, reason: 'test' })
const owns = async (who: Person) => {
  const { body } = await as(who, 'GET', '/user')
  return { points: body.currency.sum, wallet: body.new_wallet.balance }
}
const rich = async (wallet = 1000, points = 0) => {
  const made = await person()
  if (wallet) await give(made, 'wallet', wallet)
  if (points) await give(made, 'points', points)
  return made
}
const withSettings = async (changes: Partial<Settings>, work: () => Promise<void>) => {
  const before = Object.fromEntries(
    (await sql`select name, value from settings`).map(({ name, value }) => [name, value]),
  )
  await updateSettings(ctx, sql, changes)
  forgetSettings(ctx)
  try {
    await work()
  } finally {
    await sql`delete from settings`
    if (Object.keys(before).length > 0) await updateSettings(ctx, sql, before)
    forgetSettings(ctx)
  }
}

test('an administrator gives and takes points and money with a reason (money-17)', async () => {
  const anna = await person()
  const given = await give(anna, 'points', 70)
  assert.deepEqual([given.status, given.body], [201, { balance: 70 }])
  assert.deepEqual((await give(anna, 'points', -20)).body, { balance: 50 })
  assert.equal((await give(anna, 'points', -51)).status, 403)
  assert.equal((await give(anna, 'points', 0)).status, 422)
  assert.equal((await as(founder, 'POST', `/admin/users/${anna.id}/points`, { amount: 1 })).status, 422)
  assert.equal((await as(founder, 'POST', '/admin/users/999999/points', {})).status, 404)
  assert.equal(
    (await as(anna, 'POST', `/admin/users/${anna.id}/points`, { amount: 1, reason: 'x' })).status,
    403,
  )
  const { body } = await as(founder, 'GET', `/admin/users/${anna.id}/points?order=asc`)
  assert.equal(body.total, 2)
  assert.equal(body.balance, 50)
  assert.deepEqual(
    body.data.map((row: { amount: number; balance_after: number; body: string }) => [
      row.amount,
      row.balance_after,
      row.body,
    ]),
    [
      [70, 70, 'test'],
      [-20, 50, 'test'],
    ],
  )
  const log = await as(founder, 'GET', `/admin/audit-log?subject_id=${anna.id}&action=points.adjust`)
  assert.equal(log.body.total, 2)
})

test('GET /user shows both balances and what came in and went out of the wallet (money-3)', async () => {
  const anna = await rich(500, 30)
  const ben = await person()
  await as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 120 })
  const { body } = await as(anna, 'GET', '/user')
  assert.deepEqual(body.new_wallet, {
    owner_id: anna.id,
    balance: 380,
    total_income: 500,
    total_expenses: 120,
  })
  assert.equal(body.wallet.balance, 380)
  assert.deepEqual(body.currency, { owner_id: anna.id, type: 1, sum: 30 })
})

test('a transfer pays somebody else what one owns (money-8, money-2)', async () => {
  const anna = await rich(100)
  const ben = await person()
  const done = await as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 40 })
  assert.equal(done.status, 201)
  assert.ok(Array.isArray(done.body.message))
  assert.equal((await owns(anna)).wallet, 60)
  assert.equal((await owns(ben)).wallet, 40)
  const wrong = async (body: object) => {
    const answer = await as(anna, 'POST', '/plus-pay/transfer', body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    return Object.keys(answer.body.errors)
  }
  assert.deepEqual(await wrong({ user: ben.id, amount: 61 }), ['amount'])
  assert.deepEqual(await wrong({ user: ben.id, amount: 0 }), ['amount'])
  assert.deepEqual(await wrong({ user: ben.id, amount: 1.5 }), ['amount'])
  assert.deepEqual(await wrong({ user: anna.id, amount: 1 }), ['user'])
  assert.deepEqual(await wrong({ user: 999999, amount: 1 }), ['user'])
  assert.equal((await owns(anna)).wallet, 60)
  assert.equal((await guest('POST', '/plus-pay/transfer', { user: ben.id, amount: 1 })).status, 401)
})

test('wallet money becomes points by the ratio, and is switched off by a setting (money-7)', async () => {
  const anna = await rich(1000)
  await withSettings({ 'currency:recharge-ratio': 3 }, async () => {
    assert.equal((await as(anna, 'POST', '/plus-pay/transform', { amount: 99 })).status, 422)
    assert.equal((await as(anna, 'POST', '/plus-pay/transform', { amount: 1001 })).status, 422)
    assert.equal((await as(anna, 'POST', '/plus-pay/transform', { amount: 200 })).status, 201)
  })
  assert.deepEqual(await owns(anna), { points: 600, wallet: 800 })
  await withSettings({ 'wallet:transform-currency': false }, async () => {
    for (const body of [{ amount: 200 }, {}])
      assert.equal((await as(anna, 'POST', '/plus-pay/transform', body)).status, 403)
  })
})

test('orders are a view of the ledger, newest first, in two languages, and one is only its owner’s (money-4, money-5)', async () => {
  const anna = await rich(1000)
  const ben = await person()
  await as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 10 })
  await as(anna, 'POST', '/plus-pay/transform', { amount: 100 })
  const { body } = await as(anna, 'GET', '/plus-pay/orders')
  assert.deepEqual(
    body.map((row: Record<string, unknown>) => [
      row.type,
      row.amount,
      row.target_type,
      row.target_id,
      row.state,
    ]),
    [
      [-1, 100, 'transform', '0', 1],
      [-1, 10, 'user', String(ben.id), 1],
      [1, 1000, 'default', '0', 1],
    ],
  )
  assert.equal(body[1].title, 'Transfer')
  assert.equal(body[2].body, 'test')
  const chinese = await as(anna, 'GET', '/plus-pay/orders?limit=1', undefined, { 'accept-language': 'zh-CN' })
  assert.equal(chinese.body[0].title, '兑换积分')
  const next = await as(anna, 'GET', `/plus-pay/orders?after=${body[0].id}&limit=1`)
  assert.equal(next.body[0].id, body[1].id)
  assert.equal((await as(anna, 'GET', '/plus-pay/orders?action=income')).body.length, 1)
  assert.equal((await as(anna, 'GET', '/plus-pay/orders?action=expenses')).body.length, 2)
  assert.equal((await as(anna, 'GET', `/plus-pay/orders/${body[1].id}`)).body.amount, 10)
  assert.equal((await as(ben, 'GET', `/plus-pay/orders/${body[1].id}`)).status, 404)
  assert.equal((await as(anna, 'GET', `/currency/orders/${body[1].id}`)).status, 404)
  const points = (await as(anna, 'GET', '/currency/orders?type=1')).body
  assert.deepEqual([points.length, points[0].amount, points[0].currency], [1, 100, 1])
  assert.equal((await as(anna, 'GET', '/currency/orders?type=-1')).body.length, 0)
  const charges = (await as(anna, 'GET', '/wallet/charges?action=0')).body
  assert.deepEqual(
    charges.map((row: Record<string, unknown>) => [
      row.channel,
      row.account,
      row.action,
      row.amount,
      row.status,
    ]),
    [
      ['system', null, 0, 100, 1],
      ['user', String(ben.id), 0, 10, 1],
    ],
  )
  assert.equal((await as(anna, 'GET', `/wallet/charges/${charges[1].id}`)).body.amount, 10)
  assert.equal((await as(ben, 'GET', `/wallet/charges/${charges[1].id}`)).status, 404)
  assert.equal((await as(anna, 'GET', '/wallet')).body.balance, 890)
})

test('the wallet tells its balance and the rules of the site (money-6)', async () => {
  const anna = await person()
  await give(anna, 'wallet', 500)
  const { status, body } = await as(anna, 'GET', '/wallet')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['balance', 'cash', 'labels', 'ratio', 'recharge_type', 'rule'])
  assert.equal(body.balance, 500)
  assert.deepEqual(body.recharge_type, ['manual'])
})

test('a recharge is an order that waits until its payment is confirmed, once (money-9)', async () => {
  const anna = await person()
  const ordered = await as(anna, 'POST', '/plus-pay/recharge', { type: 'manual', amount: 300 })
  assert.equal(ordered.status, 201)
  const { order, pingpp_order: charge } = ordered.body
  assert.deepEqual([order.state, order.amount, order.target_type], [0, 300, 'recharge_ping_p_p'])
  assert.equal(charge.credential.manual.code, `KITH-${order.id}`)
  assert.equal((await owns(anna)).wallet, 0)
  assert.equal((await as(anna, 'GET', '/plus-pay/orders')).body[0].id, order.id)
  const url = `/admin/recharges/${order.id}`
  assert.equal((await as(anna, 'PATCH', url, { action: 'accept', reference: 'b1' })).status, 403)
  assert.equal((await as(founder, 'PATCH', url, { action: 'accept' })).status, 422)
  assert.equal((await as(founder, 'PATCH', '/admin/recharges/999999', {})).status, 404)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      as(founder, 'PATCH', url, { action: 'accept', reference: `bank-${order.id}` }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(403)])
  assert.equal((await owns(anna)).wallet, 300)
  const list = (await as(anna, 'GET', '/plus-pay/orders')).body
  assert.deepEqual([list.length, list[0].id, list[0].state], [1, order.id, 1])
  assert.equal((await as(anna, 'GET', `/plus-pay/orders/${order.id}`)).body.state, 1)

  const second = (await as(anna, 'POST', '/wallet/recharge', { type: 'manual', amount: 5 })).body
  const again = { action: 'accept', reference: `bank-${order.id}` }
  const used = await as(founder, 'PATCH', `/admin/recharges/${second.id}`, again)
  assert.deepEqual([used.status, Object.keys(used.body.errors)], [422, ['reference']])
  assert.equal(
    (await as(founder, 'PATCH', `/admin/recharges/${second.id}`, { action: 'reject' })).status,
    204,
  )
  assert.equal((await as(founder, 'PATCH', `/admin/recharges/${second.id}`, again)).status, 403)
  assert.equal((await owns(anna)).wallet, 300)
  const waiting = await as(founder, 'GET', `/admin/recharges?user=${anna.id}&state=rejected`)
  assert.deepEqual([waiting.body.total, waiting.body.data[0].user.id], [1, anna.id])
  assert.equal((await as(founder, 'GET', url)).body.reference, `bank-${order.id}`)
})

test('a recharge is rejected once, and not at all once it is confirmed (money-9)', async () => {
  const anna = await person()
  const order = async () =>
    (await as(anna, 'POST', '/wallet/recharge', { type: 'manual', amount: 40 })).body.id
  const decide = (id: number, body: object) => as(founder, 'PATCH', `/admin/recharges/${id}`, body)
  const stateOf = async (id: number) => {
    const { body } = await as(founder, 'GET', `/admin/recharges/${id}`)
    return [body.state, body.remark]
  }
  const [rejected, confirmed] = [await order(), await order()]
  assert.equal((await decide(rejected, { action: 'reject', remark: 'never paid' })).status, 204)
  assert.equal((await decide(confirmed, { action: 'accept', reference: `once-${confirmed}` })).status, 204)
  for (const id of [rejected, confirmed]) {
    const late = await decide(id, { action: 'reject', remark: 'too late' })
    assert.deepEqual([late.status, late.headers['x-error-code']], [403, 'already_decided'])
  }
  assert.deepEqual(await stateOf(rejected), ['rejected', 'never paid'])
  assert.deepEqual(await stateOf(confirmed), ['confirmed', null])
  assert.equal((await owns(anna)).wallet, 40)
  const records = await sql`
    select action from audit_log where subject_type = 'recharges'
      and subject_id in (${String(rejected)}, ${String(confirmed)}) order by id`
  assert.deepEqual(
    records.map(({ action }) => action),
    ['recharges.reject', 'recharges.accept'],
  )
})

test('points are recharged by the ratio and within the limits, while it is switched on', async () => {
  const anna = await person()
  await withSettings({ 'currency:recharge-ratio': 7 }, async () => {
    const { body } = await as(anna, 'POST', '/currency/recharge', { type: 'manual', amount: 100 })
    assert.equal(body.order.amount, 700)
    await as(founder, 'PATCH', `/admin/recharges/${body.order.id}`, { action: 'accept', reference: 'p7' })
  })
  assert.equal((await owns(anna)).points, 700)
  for (const body of [
    { type: 'manual', amount: 99 },
    { type: 'manual', amount: 10_000_001 },
    { type: 'other', amount: 100 },
    { type: 'toString', amount: 100 },
    { amount: 100 },
  ])
    assert.equal((await as(anna, 'POST', '/currency/recharge', body)).status, 422)
  await withSettings({ 'currency:recharge': false, 'wallet:recharge': false }, async () => {
    for (const path of ['/currency/recharge', '/plus-pay/recharge', '/wallet/recharge'])
      for (const body of [{ type: 'manual', amount: 100 }, {}])
        assert.equal((await as(anna, 'POST', path, body)).status, 403, path)
  })
})

test('a withdrawal takes the money at once; accepting it against rejecting it happens once (money-10)', async () => {
  const anna = await rich(1000)
  const ask = (body: object) => as(anna, 'POST', '/plus-pay/cashes', body)
  const cash = { value: 400, type: 'alipay', account: 'anna@example.org' }
  assert.equal((await ask(cash)).status, 201)
  assert.equal((await owns(anna)).wallet, 600)
  assert.equal((await ask({ ...cash, value: 601 })).status, 422)
  assert.equal((await ask({ ...cash, value: 99 })).status, 422)
  assert.equal((await ask({ ...cash, type: 'cheque' })).status, 422)
  assert.equal((await ask({ value: 100, type: 'alipay' })).status, 422)
  const [mine] = (await as(anna, 'GET', '/plus-pay/cashes')).body
  assert.deepEqual([mine.value, mine.status, mine.account], [400, 0, 'anna@example.org'])
  assert.equal((await as(anna, 'GET', '/plus-pay/orders')).body[0].state, 0)
  const decide = (action: string) =>
    as(founder, 'PATCH', `/admin/withdrawals/${mine.id}`, { action, remark: 'so' })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => decide(n % 2 ? 'accept' : 'reject')))
  assert.equal(answers.filter(({ status }) => status === 204).length, 1)
  assert.equal(answers.filter(({ status }) => status === 403).length, 9)
  const [decided] = (await as(anna, 'GET', '/wallet/cashes')).body
  assert.equal((await owns(anna)).wallet, decided.status === 1 ? 600 : 1000)
  assert.equal(decided.remark, 'so')
  const told = (await as(anna, 'GET', '/user/notifications?type=system')).body.data
  assert.equal(told.length, 1)
  assert.equal(told[0].data.state, decided.status === 1 ? 'passed' : 'rejected')
  assert.equal((await as(founder, 'PATCH', '/admin/withdrawals/999999', {})).status, 404)
  assert.equal((await as(anna, 'PATCH', `/admin/withdrawals/${mine.id}`, {})).status, 403)
  await withSettings({ 'wallet:cash': false }, async () => {
    for (const body of [cash, {}]) assert.equal((await ask(body)).status, 403)
  })
})

test('points are withdrawn in whole fen, and become wallet money or come back (money-10)', async () => {
  const anna = await rich(0, 1000)
  await withSettings({ 'currency:recharge-ratio': 7 }, async () => {
    assert.equal((await as(anna, 'POST', '/currency/cash', { amount: 500 })).status, 201)
    assert.equal((await owns(anna)).points, 1000 - 497)
    assert.equal((await as(anna, 'POST', '/currency/cash', { amount: 504 })).status, 422)
    assert.equal((await as(anna, 'POST', '/currency/cash', { amount: 99 })).status, 422)
    assert.equal((await as(anna, 'POST', '/currency/cash', { amount: 200 })).status, 201)
  })
  const { data } = (await as(founder, 'GET', `/admin/withdrawals?user=${anna.id}&order=asc`)).body
  assert.deepEqual(
    data.map((row: { amount: number; payout: number }) => [row.amount, row.payout]),
    [
      [497, 71],
      [196, 28],
    ],
  )
  await as(founder, 'PATCH', `/admin/withdrawals/${data[0].id}`, { action: 'accept' })
  await as(founder, 'PATCH', `/admin/withdrawals/${data[1].id}`, { action: 'reject' })
  assert.deepEqual(await owns(anna), { points: 503, wallet: 71 })
  const cash = (await as(anna, 'GET', '/currency/orders?action=cash')).body
  assert.deepEqual(
    cash.map((row: { type: number; state: number }) => [row.type, row.state]),
    [
      [1, 1],
      [-1, -1],
      [-1, 1],
    ],
  )
  await withSettings({ 'currency:cash': false }, async () => {
    assert.equal((await as(anna, 'POST', '/currency/cash', { amount: 100 })).status, 403)
  })
})

test('what leaves one’s own accounts asks for the payment password while the site does', async () => {
  const [anna, ben] = [await rich(1000, 1000), await person()]
  await sql`update users set password = ${await hashPassword('correct horse')} where id = ${anna.id}`
  await withSettings({ 'pay-validate-user-password': true }, async () => {
    for (const [path, body] of [
      ['/plus-pay/transfer', { user: ben.id, amount: 100 }],
      ['/plus-pay/cashes', { value: 100, type: 'alipay', account: 'anna' }],
      ['/wallet/cashes', { value: 100, type: 'alipay', account: 'anna' }],
      ['/currency/cash', { amount: 100 }],
    ] as const) {
      for (const asked of [{}, body, { ...body, password: 'wrong horse' }]) {
        const answer = await as(anna, 'POST', path, asked)
        assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'wrong_password'], path)
      }
      assert.equal((await as(anna, 'POST', path, { ...body, password: 'correct horse' })).status, 201, path)
    }
    assert.equal((await as(anna, 'POST', '/plus-pay/transform', { amount: 100 })).status, 201)
  })
  assert.deepEqual(await owns(anna), { points: 1000, wallet: 600 })
})

test('the same Idempotency-Key, path and body answer the first answer again and move nothing', async () => {
  const anna = await rich(1000)
  const ben = await person()
  const pay = (amount: number, key: string, user = ben.id, headers = {}) =>
    as(anna, 'POST', '/plus-pay/transfer', { user, amount }, { 'idempotency-key': key, ...headers })
  const first = await pay(10, 'k1')
  assert.equal(first.headers['idempotency-replayed'], undefined)
  const second = await pay(10, 'k1', ben.id, { 'accept-language': 'zh' })
  assert.deepEqual([second.status, second.body], [201, first.body])
  assert.equal(second.headers['idempotency-replayed'], 'true')
  const other = await pay(11, 'k1')
  assert.equal(other.status, 422)
  assert.equal(other.headers['x-error-code'], 'idempotency_key_reused')
  assert.equal((await pay(10, 'k2')).headers['idempotency-replayed'], undefined)
  assert.equal((await owns(anna)).wallet, 980)
  // The key of somebody else, and of another path, is another key.
  const theirs = await as(
    ben,
    'POST',
    '/plus-pay/transfer',
    { user: anna.id, amount: 10 },
    { 'idempotency-key': 'k1' },
  )
  assert.deepEqual([theirs.status, theirs.headers['idempotency-replayed']], [201, undefined])
  const elsewhere = await as(
    anna,
    'POST',
    '/plus-pay/transform',
    { amount: 100 },
    { 'idempotency-key': 'k1' },
  )
  assert.deepEqual([elsewhere.status, elsewhere.headers['idempotency-replayed']], [201, undefined])
  for (const key of ['', 'x'.repeat(256), 'a\u0007b', 'a\u0085b'])
    assert.equal((await pay(1, key)).status, 422, JSON.stringify(key))
  const bytes = Buffer.from('ключ').toString('latin1')
  for (const key of [bytes, 'clé']) assert.equal((await pay(1, key)).status, 201, key)
  assert.equal((await pay(1, bytes)).headers['idempotency-replayed'], 'true')
})

test('a failure is not kept under its key: it may succeed later', async () => {
  const anna = await rich(5)
  const ben = await person()
  const pay = () =>
    as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 10 }, { 'idempotency-key': 'later' })
  assert.equal((await pay()).status, 422)
  await give(anna, 'wallet', 20)
  assert.equal((await pay()).status, 201)
  assert.equal((await pay()).headers['idempotency-replayed'], 'true')
  assert.equal((await owns(anna)).wallet, 15)
})

test('racing requests with one key move money once: the others replay or are told to wait', async () => {
  const anna = await rich(1000)
  const ben = await person()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 7 }, { 'idempotency-key': 'race' }),
    ),
  )
  const fresh = answers.filter((a) => a.status === 201 && a.headers['idempotency-replayed'] === undefined)
  assert.equal(fresh.length, 1)
  for (const { status } of answers) assert.ok(status === 201 || status === 409, String(status))
  assert.equal((await owns(anna)).wallet, 993)
})

test('a key is 409 while its first request runs, and forgotten after 24 hours', async () => {
  const anna = await rich(100)
  const ben = await person()
  const pay = () =>
    as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 1 }, { 'idempotency-key': 'slow' })
  let running: Promise<{ status: number }> | undefined
  await sql.begin(async (tx) => {
    await tx`select from ledger_accounts where owner_id = ${anna.id} for update`
    running = pay()
    await untilWaiting(sql)
    const answer = await pay()
    assert.equal(answer.status, 409)
    assert.equal(answer.headers['x-error-code'], 'idempotency_key_running')
  })
  assert.equal((await running)?.status, 201)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'slow'`
  assert.equal((await pay()).headers['idempotency-replayed'], undefined)
  assert.equal((await owns(anna)).wallet, 98)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'slow'`
  await tasksOn(ctx).delete_old_idempotency_keys?.({}, {} as never)
  assert.equal((await sql`select from idempotency_keys where key = 'slow'`).length, 0)
})

test('the audit is balanced, also on top of checkpoints, and shows what somebody tampered with (money-18)', async () => {
  const anna = await rich(100, 50)
  await writeCheckpoints(sql)
  await give(anna, 'points', 5)
  await writeCheckpoints(sql)
  await give(anna, 'points', 5)
  const { status, body } = await as(founder, 'GET', '/admin/ledger/audit')
  assert.equal(status, 200)
  assert.deepEqual([body.balanced, body.drift], [true, []])
  for (const currency of ['points', 'wallet']) assert.equal(body.totals[currency].sum, 0)
  assert.equal((await as(anna, 'GET', '/admin/ledger/audit')).status, 403)
  await sql`update ledger_accounts set balance = balance + 1 where owner_id = ${anna.id} and currency = 'points'`
  const bad = await auditLedger(sql)
  assert.equal(bad.balanced, false)
  assert.deepEqual(bad.drift, [
    { check: 'ledger_accounts.balance', key: `${anna.id} points`, kept: 61, counted: 60 },
  ])
  await sql`update ledger_accounts set balance = balance - 1 where owner_id = ${anna.id} and currency = 'points'`
  assert.equal((await auditLedger(sql)).balanced, true)
})
