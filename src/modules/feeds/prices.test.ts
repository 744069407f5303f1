import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteFeed, restoreFeed } from '#modules/feeds/service.ts'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, ctx, person, sql } = world
const { owns, rich, withSettings } = await walletsOf(world)
const { publish, send } = feedsOf(world)

const set = (who: Person, feed: number, amount: unknown = 10) =>
  as(who, 'PATCH', `/feeds/${feed}/comment-paid`, { amount })
const comment = (who: Person, feed: number) =>
  as(who, 'POST', `/feeds/${feed}/comments`, { body: 'Well said' })

test("charges a user once for commenting on another user's feed (feeds-41)", async () => {
  const [anna, ben] = [await person(), await rich(0, 100)]
  const feed = await publish(anna)
  const made = await set(anna, feed)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const refused = await comment(ben, feed)
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [403, 'comment_not_paid'])
  assert.deepEqual([refused.body.paid_node, refused.body.amount], [made.body.paid_node, 10])
  assert.equal((await comment(anna, feed)).status, 201)
  const path = `/purchases/${made.body.paid_node}`
  assert.equal((await as(ben, 'GET', path)).body.channel, 'feed:comment')
  assert.equal((await as(ben, 'POST', `/currency${path}`)).status, 201)
  for (let n = 0; n < 2; n += 1) assert.equal((await comment(ben, feed)).status, 201)
  assert.equal((await owns(anna)).points, 10)
})

test('lets only the author set a comment price, and only once (feeds-41)', async () => {
  const [anna, ben] = [await person(), await person()]
  const feed = await publish(anna)
  assert.equal((await set(ben, feed)).status, 403)
  assert.equal((await set(anna, 999_999_999)).status, 404)
  for (const amount of [0, -1, 'much', null]) assert.equal((await set(anna, feed, amount)).status, 422)
  await withSettings({ 'feed:paycontrol': false }, async () =>
    assert.equal((await set(anna, feed)).status, 403),
  )
  assert.equal((await comment(ben, feed)).status, 201)
  const race = await Promise.all([1, 2, 3].map((amount) => set(anna, feed, amount)))
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 422, 422])
})

test('rejects a repeated mark with another price (feeds-9)', async () => {
  const anna = await person()
  const picture = { id: await uploadPicture(world, anna), amount: 5, type: 'read' }
  await withSettings({ 'feed:paycontrol': true }, async () => {
    const text = { feed_mark: 'text', amount: 10 }
    const shown = { feed_mark: 'shown', images: [picture] }
    const [one, two] = [await publish(anna, text), await publish(anna, shown)]
    assert.deepEqual([await publish(anna, text), await publish(anna, shown)], [one, two])
    const others = [
      { ...text, amount: 11 },
      { ...text, amount: 0 },
      { ...shown, amount: 10 },
      { ...shown, images: [{ ...picture, amount: 6 }] },
      { ...shown, images: [{ ...picture, type: 'download' }] },
      { ...shown, images: [{ id: picture.id }] },
    ]
    for (const other of others)
      assert.equal(
        (await send(anna, other)).headers['x-error-code'],
        'feed_mark_reused',
        JSON.stringify(other),
      )
  })
})

test('rejects payments for comments on a deleted feed until the feed is restored (money-14)', async () => {
  const [anna, ben] = [await person(), await rich(0, 100)]
  const feed = await publish(anna)
  const { paid_node: node } = (await set(anna, feed)).body
  const buy = () => as(ben, 'POST', `/currency/purchases/${node}`)
  await transaction(sql, (tx) => deleteFeed(tx, feed, { userId: anna.id, anybodys: false }))
  assert.equal((await buy()).status, 404)
  await transaction(sql, (tx) => restoreFeed(ctx, tx, feed))
  assert.equal((await buy()).status, 201)
})
