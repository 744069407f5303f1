import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person } = world
const { founder, owns, withSettings } = await walletsOf(world)

for (const [path, currency, other] of [
  ['/walletRecharge', 'wallet', '/currencyRecharge'],
  ['/currencyRecharge', 'points', '/walletRecharge'],
] as const) {
  const order = async (who: Person, amount = 300, headers: Record<string, string> = {}) =>
    as(who, 'POST', `${path}/orders`, { type: 'manual', amount, from: 4 }, headers)
  const check = (who: Person, body: object) => as(who, 'POST', `${path}/checkOrders`, body)
  const resultOf = (number: string, total_amount?: string) => ({
    memo: '',
    resultStatus: '9000',
    result: JSON.stringify({ alipay_trade_app_pay_response: { out_trade_no: number, total_amount } }),
  })

  test(`returns the state of a recharge order from ${path}/checkOrders (money-19)`, async () => {
    const anna = await person()
    const made = await order(anna)
    assert.equal(made.status, 201)
    const { message, data, out_trade_no: number } = made.body
    assert.equal(message, 'Ordered.')
    assert.equal(data.credential.manual.code, `ORDER-${number}`)
    const asked = await Promise.all(Array.from({ length: 6 }, () => check(anna, resultOf(number, '3.00'))))
    assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([202]))
    assert.equal((await owns(anna))[currency], 0)

    const decide = { action: 'accept', reference: `${currency}-${number}` }
    const [decided] = await Promise.all([
      as(founder, 'PATCH', `/admin/recharges/${number}`, decide),
      ...Array.from({ length: 6 }, () => check(anna, { out_trade_no: number })),
    ])
    assert.equal(decided.status, 204)
    const confirmed = await as(anna, 'POST', `${path}/checkOrders`, resultOf(number), {
      'accept-language': 'zh',
    })
    assert.deepEqual([confirmed.status, confirmed.body], [200, { message: '充值成功。' }])
    assert.equal((await owns(anna))[currency], 300)

    const second = (await order(anna)).body.out_trade_no
    await as(founder, 'PATCH', `/admin/recharges/${second}`, { action: 'reject' })
    const failed = await check(anna, { out_trade_no: second })
    assert.deepEqual([failed.status, failed.body.message], [200, 'The payment failed.'])
  })

  test(`finds no order of another user or currency at ${path}/checkOrders`, async () => {
    const [anna, ben] = [await person(), await person()]
    const number = (await order(anna)).body.out_trade_no
    assert.equal((await check(ben, { out_trade_no: number })).status, 404)
    assert.equal((await as(anna, 'POST', `${other}/checkOrders`, { out_trade_no: number })).status, 404)
    const unknown = [{}, resultOf('0'), { result: 'paid' }, { result: 'null' }, { out_trade_no: '-1' }]
    for (const body of unknown) assert.equal((await check(anna, body)).status, 404)
    assert.equal((await check(anna, resultOf(number, '3.01'))).status, 422)
    assert.equal((await guest('POST', `${path}/checkOrders`, {})).status, 401)
  })

  test(`enforces the settings of recharges at ${path}/orders`, async () => {
    const anna = await person()
    const native = await as(anna, 'POST', `${path}/orders`, { type: 'AlipayOrder', amount: 300 })
    assert.deepEqual([native.status, Object.keys(native.body.errors)], [422, ['type']])
    assert.equal((await order(anna, 0)).status, 422)
    const key = { 'idempotency-key': `recharge-${currency}` }
    const [one, two] = [await order(anna, 300, key), await order(anna, 300, key)]
    assert.deepEqual(one.body, two.body)
    await withSettings({ [`${currency === 'points' ? 'currency' : 'wallet'}:recharge`]: false }, async () => {
      assert.equal((await order(anna)).status, 403)
    })
  })
}

test('returns the settings of points from GET /currency (money-19)', async () => {
  const anna = await person()
  assert.equal((await guest('GET', '/currency')).status, 401)
  await withSettings({ 'currency:cash-max': 777, 'currency:rule': 'Points are no money.' }, async () => {
    assert.deepEqual((await as(anna, 'GET', '/currency')).body, {
      'recharge-ratio': 1,
      'recharge-options': '100,500,1000,2000,5000,10000',
      'recharge-max': 10_000_000,
      'recharge-min': 100,
      'cash-max': 777,
      'cash-min': 100,
      rule: 'Points are no money.',
      cash: ['alipay', 'wechat'],
      'recharge-type': ['manual'],
    })
  })
})
