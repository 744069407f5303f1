import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, sql, person } = world
const { founder, owns, withSettings } = await walletsOf(world)

test('credits a recharge only when its payment is confirmed (money-9)', async () => {
  const anna = await person()
  const ordered = await as(anna, 'POST', '/plus-pay/recharge', { type: 'manual', amount: 300 })
  assert.equal(ordered.status, 201)
  const { order, pingpp_order: charge } = ordered.body
  assert.deepEqual([order.state, order.amount, order.target_type], [0, 300, 'recharge_ping_p_p'])
  assert.equal(charge.credential.manual.code, `ORDER-${order.id}`)
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

test('rejects a second decision on a recharge (money-9)', async () => {
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

test('recharges points at the configured ratio', async () => {
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
