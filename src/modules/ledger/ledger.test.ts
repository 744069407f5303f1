import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld } from '#test/world.ts'
import { auditLedger, writeCheckpoints } from './audit.ts'
import { moveFunds } from './movements.ts'

const world = await createWorld()
const { as, guest, sql, person } = world
const { founder, give, owns, rich, withSettings } = await walletsOf(world)

test('lets an administrator credit and debit either currency with a reason (money-17)', async () => {
  for (const [area, other] of [
    ['points', 'wallet'],
    ['wallet', 'points'],
  ] as const) {
    const [anna, ben] = [await person(), await person()]
    const path = `/admin/users/${anna.id}/${area}`
    const given = await give(anna, area, 70)
    assert.deepEqual([given.status, given.body], [201, { balance: 70 }])
    const taken = await as(founder, 'POST', path, { amount: -20, reason: 'too much' })
    assert.deepEqual([taken.status, taken.body], [201, { balance: 50 }])
    assert.equal((await give(anna, area, -51)).status, 403)
    const refusedFields = async (body: object) => {
      const { status, body: refusal } = await as(founder, 'POST', path, body)
      assert.equal(status, 422, JSON.stringify(body))
      return Object.keys(refusal.errors)
    }
    assert.deepEqual(await refusedFields({ amount: 0, reason: 'test' }), ['amount'])
    assert.deepEqual(await refusedFields({ amount: 1 }), ['reason'])
    assert.equal((await as(founder, 'POST', `/admin/users/999999/${area}`, {})).status, 404)
    assert.equal((await as(anna, 'POST', path, { amount: 1, reason: 'x' })).status, 403)
    await give(ben, area, 9)
    const { body } = await as(founder, 'GET', `${path}?order=asc`)
    assert.deepEqual([body.total, body.balance], [2, 50])
    assert.deepEqual(
      body.data.map((row: { amount: number; balance_after: number; body: string }) => [
        row.amount,
        row.balance_after,
        row.body,
      ]),
      [
        [70, 70, 'test'],
        [-20, 50, 'too much'],
      ],
    )
    assert.deepEqual(await owns(anna), { [area]: 50, [other]: 0 })
    const log = await as(founder, 'GET', `/admin/audit-log?subject_id=${anna.id}&action=${area}.adjust`)
    assert.equal(log.body.total, 2)
  }
})

test("returns the balances of points and wallet in the viewer's account (money-3)", async () => {
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

test('transfers money to another user up to the balance (money-8, money-2)', async () => {
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

test('converts wallet money to points by the configured ratio (money-7)', async () => {
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

test('lists orders of a user only to that user (money-4, money-5)', async () => {
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

test("returns the wallet balance with the site's wallet settings (money-6)", async () => {
  const anna = await person()
  await give(anna, 'wallet', 500)
  const { status, body } = await as(anna, 'GET', '/wallet')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['balance', 'cash', 'labels', 'ratio', 'recharge_type', 'rule'])
  assert.equal(body.balance, 500)
  assert.deepEqual(body.recharge_type, ['manual'])
})

test('reports manipulated balances in the ledger audit (money-18)', async () => {
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

test('filters the movements of a wallet by kind and text (money-17)', async () => {
  const [anna, ben] = [await rich(1000), await rich(1000)]
  await as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 10 })
  await as(ben, 'POST', '/plus-pay/transfer', { user: anna.id, amount: 20 })
  const give = (amount: number, reason: string, area = 'wallet') =>
    as(founder, 'POST', `/admin/users/${anna.id}/${area}`, { amount, reason })
  await give(30, 'Prize of 100%')
  await give(35, 'Prize of 1000')
  await give(40, 'Prize of 100 people', 'points')
  await moveFunds(sql, {
    currency: 'wallet',
    from: anna.id,
    to: ben.id,
    amount: 50,
    kind: 'purchase',
    subject: { type: 'tests', id: 1 },
    title: 'A prize picture',
  })
  const amounts = async (query: string) => {
    const { body } = await as(founder, 'GET', `/admin/users/${anna.id}/wallet?${query}`)
    assert.equal(body.total, body.data.length, query)
    return body.data.map((row: { amount: number }) => row.amount)
  }
  assert.deepEqual(await amounts(''), [-50, 35, 30, 20, -10, 1000])
  assert.deepEqual(await amounts('kind=transfer'), [20, -10])
  assert.deepEqual(await amounts('kind=adjustment'), [35, 30, 1000])
  assert.deepEqual(await amounts('kind=trans'), [])
  assert.deepEqual(await amounts('q=PRIZE'), [-50, 35, 30])
  assert.deepEqual(await amounts(`q=${encodeURIComponent('100%')}`), [30])
  assert.deepEqual(await amounts('q=picture'), [-50])
  assert.deepEqual(await amounts('q=prize&kind=purchase'), [-50])
  assert.deepEqual(await amounts('q=nothing'), [])
})
