import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addEarlierOrder } from '#test/fixtures/earlier-orders.ts'
import { createWorld, type Person } from '#test/world.ts'

describe('transactions at the former site', async () => {
  const { sql, as, guest, person } = await createWorld()
  let ann: Person
  let bob: Person
  let founder: Person

  const add = (id: number, owner: Person, more: object = {}) => addEarlierOrder(sql, id, owner.id, more)
  const idsOf = async (query: string, reader = ann) =>
    (await as(reader, 'GET', `/wallet/earlier-orders${query}`)).body.map(({ id }: { id: number }) => id)

  before(async () => {
    ann = await person()
    bob = await person()
    founder = await person({ roles: ['founder', 'owner'] })
    await add(1, ann, { created_at: '2021-01-02T03:04:05Z' })
    await add(2, ann, { amount: -7, currency: 'points', refunded: false, state: 0 })
    await add(3, ann, { number: 'N3', provider_number: 'P3', provider: 'AlipayOrder', body: 'a body' })
    await add(4, bob, { number: 'N4' })
  })

  test('lists the orders of the viewer only, newest first, with their numbers (money-27)', async () => {
    assert.deepEqual(await idsOf(''), [1, 3, 2])
    assert.deepEqual(await idsOf('', bob), [4])
    const { body } = await as(ann, 'GET', '/wallet/earlier-orders?limit=1&after=1')
    assert.deepEqual(body, [
      {
        id: 3,
        currency: 'wallet',
        title: 'order 3',
        body: 'a body',
        type: 1,
        amount: 103,
        state: 1,
        refunded: false,
        number: 'N3',
        provider_number: 'P3',
        created_at: '2020-01-02 03:04:05',
      },
    ])
    assert.equal((await guest('GET', '/wallet/earlier-orders')).status, 401)
  })

  test('pages over equal times, and filters by currency (money-27)', async () => {
    assert.deepEqual(await idsOf('?after=3'), [2])
    assert.deepEqual(await idsOf('?after=4'), [])
    assert.deepEqual(await idsOf('?currency=points'), [2])
    const { body } = await as(ann, 'GET', '/wallet/earlier-orders?currency=points')
    assert.deepEqual([body[0].type, body[0].amount, body[0].state], [-1, 7, 0])
  })

  test('lets administrators find an order by either number (money-27)', async () => {
    const find = async (query: string) =>
      (await as(founder, 'GET', `/admin/earlier-orders?${query}`)).body.data.map(
        ({ id }: { id: number }) => id,
      )
    assert.deepEqual(await find('q=N3'), [3])
    assert.deepEqual(await find('q=P3'), [3])
    assert.deepEqual(await find('q=N'), [])
    assert.deepEqual(await find(`user=${ann.id}`), [3, 2, 1])
    const { body } = await as(founder, 'GET', '/admin/earlier-orders/4')
    assert.deepEqual(
      [body.user.id, body.provider, body.source, body.source_id],
      [bob.id, null, 'native_pay_orders', 4],
    )
    assert.equal((await as(ann, 'GET', '/admin/earlier-orders')).status, 403)
    assert.equal((await as(ann, 'GET', '/admin/earlier-orders/4')).status, 403)
  })
})
