import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinWorld } from '#test/fixtures/pins.ts'
import type { Person } from '#test/world.ts'

const { as, guest, sql, person, founder, points, rich, feedOf, pinFeed, pinOf, decide, told, audit } =
  await pinWorld()

test('lists a feed among the pinned feeds after acceptance of its paid pin (pins-1, pins-11)', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const asked = await pinFeed(anna, feed)
  assert.equal(asked.status, 201)
  assert.ok(Array.isArray(asked.body.message))
  assert.equal(await points(anna), 900)
  assert.equal(
    (await as(anna, 'GET', '/feeds')).body.pinned.some((f: { id: number }) => f.id === feed),
    false,
  )
  const pin = await pinOf('feed', feed)
  assert.equal(pin.state, 'pending')
  assert.equal((await decide(pin.id, 'accept')).status, 204)
  const { body } = await guest('GET', '/feeds')
  assert.ok(body.pinned.some((f: { id: number }) => f.id === feed))
  assert.ok(body.feeds.some((f: { id: number }) => f.id === feed))
  assert.deepEqual((await guest('GET', `/feeds?after=${feed}`)).body.pinned, [])
  assert.deepEqual(await told(anna), [['pinned:feeds', 'passed']])
  const mine = (await as(anna, 'GET', `/feeds?type=users&screen=pinned`)).body.feeds
  assert.deepEqual(
    mine.map((f: { id: number }) => f.id),
    [feed],
  )
  assert.equal(await points(anna), 900)
  await audit()
})

test('refunds a rejected feed pin (pins-9)', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  await pinFeed(anna, feed)
  const pin = await pinOf('feed', feed)
  assert.equal((await decide(pin.id, 'reject')).status, 204)
  assert.equal(await points(anna), 1000)
  assert.deepEqual(await told(anna), [['pinned:feeds', 'rejected']])
  for (const action of ['accept', 'reject']) assert.equal((await decide(pin.id, action)).status, 403)
  assert.equal((await pinFeed(anna, feed)).status, 201)
  await audit()
})

test('reports the errors of a pin request in a fixed order (pins-3)', async () => {
  const anna = await rich(50)
  const ben = await rich()
  const feed = await feedOf(anna)
  const path = `/feeds/${feed}/currency-pinneds`
  assert.equal((await guest('POST', path, { amount: 1, day: 1 })).status, 401)
  for (const body of [{}, { amount: 1, day: 1 }]) {
    assert.equal((await as(anna, 'POST', '/feeds/999999/currency-pinneds', body)).status, 404)
    assert.equal((await as(ben, 'POST', path, body)).status, 403)
  }
  const bad = [
    [{}, ['amount', 'day']],
    [{ amount: 0, day: 1 }, ['amount']],
    [{ amount: 51, day: 1 }, ['amount']],
    [{ amount: -5, day: 1 }, ['amount']],
    [{ amount: 1.5, day: 1 }, ['amount']],
    [{ amount: 1, day: 0 }, ['day']],
    [{ amount: 1, day: 366 }, ['day']],
    [{ amount: 10 ** 13, day: 1 }, ['amount']],
  ] as const
  for (const [body, fields] of bad) {
    const answer = await pinFeed(anna, feed, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(Object.keys(answer.body.errors).sort(), [...fields])
  }
  assert.equal((await pinFeed(anna, feed, { amount: '50', day: '365' })).status, 201)
  for (const body of [{}, { amount: 1, day: 1 }]) {
    const again = await pinFeed(anna, feed, body)
    assert.deepEqual([again.status, again.headers['x-error-code']], [422, 'pin_open'])
  }
  assert.equal(await points(anna), 0)
})

test('averages the daily price of accepted pins that were requested in the last week (pins-10)', async () => {
  await sql`update pins set created_at = now() - interval '8 days'`
  const anna = await rich()
  assert.deepEqual((await as(anna, 'GET', '/feeds/average')).body, { feed: 100, feed_comment: 100 })
  for (const [amount, day] of [
    [10, 3],
    [5, 4],
  ]) {
    const feed = await feedOf(anna)
    await pinFeed(anna, feed, { amount, day })
    await decide((await pinOf('feed', feed)).id, 'accept')
  }
  await pinFeed(anna, await feedOf(anna), { amount: 900, day: 1 })
  assert.deepEqual((await as(anna, 'GET', '/feeds/average')).body, { feed: 3, feed_comment: 100 })
})

test('lists pinned feeds by price, highest first', async () => {
  await sql`update pins set state = 'expired' where state = 'active'`
  const anna = await rich()
  const ben = await rich()
  const viewer = await person()
  const pins: number[] = []
  for (const [who, amount] of [
    [anna, 10],
    [ben, 50],
    [anna, 30],
  ] as const) {
    const feed = await feedOf(who)
    pins.push(feed)
    await pinFeed(who, feed, { amount, day: 1 })
    await decide((await pinOf('feed', feed)).id, 'accept')
  }
  const ids = async (who: Person) =>
    (await as(who, 'GET', '/feeds')).body.pinned.map((f: { id: number }) => f.id)
  assert.deepEqual(await ids(viewer), [pins[1], pins[2], pins[0]])
  assert.deepEqual((await as(viewer, 'GET', '/feeds?type=follow')).body.pinned, [])
  await sql`insert into user_blocks (user_id, target_id) values (${viewer.id}, ${ben.id})`
  assert.deepEqual(await ids(viewer), [pins[2], pins[0]])
  await as(anna, 'DELETE', `/feeds/${pins[2]}`)
  assert.deepEqual(await ids(viewer), [pins[0]])
})

test('lets administrators end pins, and grant and extend them for free (pins-9)', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  const pin = (day: number) => as(founder, 'POST', '/admin/feed-pinneds', { feed, day })
  const made = await pin(2)
  assert.equal(made.status, 201)
  const before = (await as(founder, 'GET', `/admin/feed-pinneds/${made.body.id}`)).body.expires_at
  assert.deepEqual((await pin(3)).body, made.body)
  const after = (await as(founder, 'GET', `/admin/feed-pinneds/${made.body.id}`)).body.expires_at
  assert.equal((Date.parse(after) - Date.parse(before)) / 86_400_000, 3)
  assert.deepEqual((await told(anna))[0], ['pinned:feeds', 'admin'])
  const list = (await as(founder, 'GET', `/admin/feed-pinneds?feed=${feed}&state=active`)).body
  assert.deepEqual([list.total, list.data[0].user.id], [1, anna.id])
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${made.body.id}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${made.body.id}`)).status, 422)
  assert.equal((await as(founder, 'POST', '/admin/feed-pinneds', { feed: 999999, day: 1 })).status, 422)
  assert.equal((await pinFeed(anna, feed, { amount: 70, day: 1 })).status, 201)
  assert.equal((await pin(1)).status, 422)
  const { id } = await pinOf('feed', feed)
  assert.equal((await as(founder, 'DELETE', `/admin/feed-pinneds/${id}`)).status, 204)
  assert.equal(await points(anna), 1000)
  await audit()
})
