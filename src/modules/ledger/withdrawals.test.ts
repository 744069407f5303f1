import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#modules/accounts/index.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, sql, person } = world
const { founder, owns, rich, withSettings } = await walletsOf(world)

test('applies only one of several concurrent decisions on a withdrawal (money-10)', async () => {
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

test('rounds a withdrawal of points down to whole fen (money-10)', async () => {
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

test('requires the account password for transfers and withdrawals when the setting demands it', async () => {
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
