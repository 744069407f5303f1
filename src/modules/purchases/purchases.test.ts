import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '#modules/accounts/index.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld, type Person } from '#test/world.ts'
import { closeSales, insertPurchase, removePrices, setPrices } from './queries.ts'

const world = await createWorld()
const { as, guest, sql, person } = world
const { founder, give, owns, rich: richIn, withSettings } = await walletsOf(world)
const rich = (points = 1000, wallet = 1000) => richIn(wallet, points)
const { send: publish } = feedsOf(world)
const LONG = '一'.repeat(60)
const sell = async (author: Person, amount = 100) => {
  const { body } = await publish(author, { feed_content: LONG, amount })
  const { body: refused } = await guest('GET', `/feeds/${body.id}`)
  return { feed: body.id as number, node: refused.paid_node as number }
}
const buy = (
  who: Person,
  node: number,
  way: '' | '/currency' = '/currency',
  body: object = {},
  headers = {},
) => as(who, 'POST', `${way}/purchases/${node}`, body, headers)
const audit = async () => {
  const { body } = await as(founder, 'GET', '/admin/ledger/audit')
  assert.deepEqual([body.balanced, body.drift], [true, []])
}
const upload = (owner: Person) => uploadPicture(world, owner, 900, 900)

test('returns 403 with node and price for an unpaid feed (feeds-10, money-11)', async () => {
  const anna = await rich()
  const ben = await rich()
  const { feed, node } = await sell(anna)
  for (const ask of [guest, (m: 'GET', u: string) => as(ben, m, u)]) {
    const { status, body } = await ask('GET', `/feeds/${feed}`)
    assert.equal(status, 403)
    assert.deepEqual([typeof body.message, body.paid_node, body.amount], ['string', node, 100])
    const item = (await ask('GET', `/feeds?id=${feed}`)).body.feeds[0]
    assert.equal([...item.feed_content].length, 50)
    assert.deepEqual(item.paid_node, { paid: false, node, amount: 100 })
  }
  const own = (await as(anna, 'GET', `/feeds/${feed}`)).body
  assert.deepEqual([own.feed_content, own.paid_node.paid], [LONG, true])
  const before = (await as(ben, 'GET', `/purchases/${node}`)).body
  assert.deepEqual(
    [before.id, before.channel, before.raw, before.amount, before.user_id, before.extra, before.paid],
    [node, 'feed', String(feed), 100, anna.id, null, false],
  )
  const paid = await buy(ben, node)
  assert.equal(paid.status, 201)
  assert.ok(Array.isArray(paid.body.message))
  assert.equal((await as(ben, 'GET', `/feeds/${feed}`)).body.feed_content, LONG)
  assert.equal((await as(ben, 'GET', `/feeds?id=${feed}`)).body.feeds[0].feed_content, LONG)
  assert.equal((await as(ben, 'GET', `/purchases/${node}`)).body.paid, true)
  assert.equal((await as(anna, 'GET', `/purchases/${node}`)).body.paid, true)
  assert.equal((await owns(ben)).points, 900)
  assert.equal((await owns(anna)).points, 1100)
  assert.deepEqual((await as(anna, 'GET', '/user/notifications?type=system')).body.data, [])
  const mine = (await guest('GET', `/feeds?type=users&user=${anna.id}&screen=paid`)).body.feeds
  assert.deepEqual(
    mine.map((f: { id: number }) => f.id),
    [feed],
  )
  await audit()
})

test('excludes the hidden text of a paid feed from search and notifications (feeds-10)', async () => {
  const anna = await rich()
  const ben = await person({ name: `hidden${process.pid}` })
  const text = `beginning${process.pid} ${'.'.repeat(45)} secret${process.pid} \u00ad@${ben.name}\u00ad`
  const { body } = await publish(anna, { feed_content: text, amount: 5 })
  const search = async (word: string) =>
    (await guest('GET', `/feeds?search=${word}${process.pid}`)).body.feeds.length
  assert.deepEqual([await search('beginning'), await search('secret')], [1, 0])
  const [note] = (await as(ben, 'GET', '/user/notifications?type=at')).body.data
  assert.ok(!note.data.contents.includes('secret'))
  await as(anna, 'DELETE', `/feeds/${body.id}`)
  await as(founder, 'PATCH', `/admin/feeds/${body.id}`, { deleted: false })
  assert.deepEqual([await search('beginning'), await search('secret')], [1, 0])
  assert.ok((await as(founder, 'GET', `/admin/feeds/${body.id}`)).body.feed_content.includes('secret'))
})

test('notifies the seller of a wallet payment (money-13)', async () => {
  const anna = await rich(0, 0)
  const ben = await rich()
  const { feed, node } = await sell(anna, 300)
  assert.equal((await buy(ben, node, '')).status, 201)
  assert.deepEqual(await owns(ben), { points: 1000, wallet: 700 })
  assert.deepEqual(await owns(anna), { points: 0, wallet: 300 })
  const [note] = (await as(anna, 'GET', '/user/notifications?type=system')).body.data
  assert.deepEqual(
    [note.data.kind, note.data.amount, note.data.sender.id, note.data.resource.id],
    ['purchase', 300, ben.id, feed],
  )
  assert.equal(typeof note.data.resource.type, 'number')
  assert.equal((await as(ben, 'GET', `/feeds/${feed}`)).status, 200)
  await audit()
})

test('reports the errors of a purchase in a fixed order (money-12)', async () => {
  const anna = await rich()
  const ben = await rich(50, 50)
  const { node } = await sell(anna)
  await sql`update users set password = ${await hashPassword('correct horse')} where id in (${ben.id}, ${anna.id})`
  for (const way of ['', '/currency'] as const) {
    assert.equal((await guest('POST', `${way}/purchases/${node}`)).status, 401)
    assert.equal((await guest('GET', `/purchases/${node}`)).status, 401)
    assert.equal((await buy(ben, 999999, way)).status, 404)
    assert.equal((await as(ben, 'GET', '/purchases/999999')).status, 404)
    const poor = await buy(ben, node, way)
    assert.deepEqual([poor.status, poor.headers['x-error-code']], [403, 'insufficient_balance'])
    const own = await buy(anna, node, way)
    assert.deepEqual([own.status, own.headers['x-error-code']], [422, 'own_content'])
  }
  await withSettings({ 'pay-validate-user-password': true }, async () => {
    for (const who of [anna, ben]) {
      const wrong = await buy(who, node, '/currency', { password: 'wrong horse' })
      assert.deepEqual([wrong.status, wrong.headers['x-error-code']], [403, 'wrong_password'])
    }
    assert.equal((await buy(ben, 999999, '/currency', { password: 'wrong horse' })).status, 404)
    const own = await buy(anna, node, '/currency', { password: 'correct horse' })
    assert.deepEqual([own.status, own.headers['x-error-code']], [422, 'own_content'])
    const poor = await buy(ben, node, '', { password: 'correct horse' })
    assert.equal(poor.headers['x-error-code'], 'insufficient_balance')
  })
  await give(ben, 'points', 500)
  assert.equal((await buy(ben, node)).status, 201)
  for (const way of ['', '/currency'] as const) {
    const again = await buy(ben, node, way)
    assert.deepEqual([again.status, again.headers['x-error-code']], [422, 'already_paid'])
  }
  assert.deepEqual(await owns(ben), { points: 450, wallet: 50 })
  await audit()
})

test('stores no purchase when the feed is not for sale to the buyer', async () => {
  const [anna, ben] = [await rich(), await rich()]
  const { feed, node } = await sell(anna)
  const pay = (who: Person) => insertPurchase(sql, { nodeId: node, userId: who.id, currency: 'points' })
  await closeSales(sql, 'feed', [feed], true)
  assert.equal(await pay(ben), false)
  await closeSales(sql, 'feed', [feed], false)
  assert.equal(await pay(anna), false)
  assert.deepEqual([(await owns(anna)).points, (await owns(ben)).points], [1000, 1000])
  assert.equal(await pay(ben), true)
  assert.deepEqual([(await owns(anna)).points, (await owns(ben)).points], [1100, 900])
  await audit()
})

test('charges fifty parallel purchases of one node by one user once', async () => {
  const anna = await rich(0, 0)
  const ben = await rich()
  const { node } = await sell(anna, 10)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => buy(ben, node, n % 2 ? '' : '/currency')),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(49).fill(422)])
  const left = await owns(ben)
  assert.equal(left.points + left.wallet, 1990)
  const got = await owns(anna)
  assert.equal(got.points + got.wallet, 10)
  await audit()
})

test('rejects parallel purchases that exceed the balance', async () => {
  const anna = await rich(0, 0)
  const ben = await rich(100, 0)
  const nodes = await Promise.all(Array.from({ length: 10 }, () => sell(anna, 30)))
  const answers = await Promise.all(nodes.map(({ node }) => buy(ben, node)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 3)
  assert.equal(answers.filter(({ status }) => status === 403).length, 7)
  assert.equal((await owns(ben)).points, 10)
  await audit()
})

test('replays the response to a purchase with the same Idempotency-Key', async () => {
  const anna = await rich()
  const ben = await rich()
  const { node } = await sell(anna)
  for (const way of ['', '/currency'] as const) {
    const buyer = way === '' ? ben : await rich()
    const key = { 'idempotency-key': 'buy-it' }
    const first = await buy(buyer, node, way, {}, key)
    const again = await buy(buyer, node, way, {}, key)
    assert.deepEqual(
      [again.status, again.body, again.headers['idempotency-replayed']],
      [201, first.body, 'true'],
    )
    assert.equal((await buy(buyer, node, way, { password: 'x' }, key)).status, 422)
    assert.equal((await buy(buyer, node, way)).status, 422)
  }
  await audit()
})

test('blurs or shrinks priced pictures until the viewer pays', async () => {
  const anna = await rich()
  const ben = await rich()
  const [read, download, free] = [await upload(anna), await upload(anna), await upload(anna)]
  const bad = await publish(anna, { images: [{ id: read, amount: 5 }] })
  assert.deepEqual([bad.status, Object.keys(bad.body.errors)], [422, ['images.0.type']])
  for (const amount of [-1, 1.5, 10 ** 13])
    assert.equal((await publish(anna, { images: [{ id: read, amount, type: 'read' }] })).status, 422)
  const { body } = await publish(anna, {
    images: [
      { id: read, amount: 5, type: 'read' },
      { id: download, amount: 6, type: 'download' },
      { id: free },
    ],
  })
  const images = async (who?: Person) =>
    (await (who ? as(who, 'GET', `/feeds/${body.id}`) : guest('GET', `/feeds/${body.id}`))).body.images
  const seen = await images()
  assert.deepEqual(
    seen.map((i: { type?: string; amount?: number; paid?: boolean }) => [i.type, i.amount, i.paid]),
    [
      ['read', 5, false],
      ['download', 6, false],
      [undefined, undefined, undefined],
    ],
  )
  assert.ok((await images(anna))[0].paid)
  const address = async (file: number, who: Person) =>
    (await as(who, 'GET', `/files/${file}?json=1`)).body.url
  assert.match(await address(read, ben), /b_96/)
  assert.match(await address(download, ben), /w_720/)
  assert.equal((await buy(ben, seen[0].paid_node)).status, 201)
  assert.equal((await buy(ben, seen[1].paid_node, '')).status, 201)
  for (const file of [read, download]) assert.doesNotMatch(await address(file, ben), /b_96|w_720/)
  assert.doesNotMatch(await address(read, anna), /b_96/)
  assert.match((await guest('GET', `/files/${read}?json=1`)).body.url, /b_96/)
  assert.deepEqual(
    (await images(ben)).map((i: { paid?: boolean }) => i.paid),
    [true, true, undefined],
  )
  await audit()
})

test('rejects feeds with a price while the site disables paid feeds', async () => {
  const anna = await rich()
  const free = await publish(anna, { feed_content: 'free', amount: 0 })
  assert.equal((await guest('GET', `/feeds/${free.body.id}`)).body.paid_node, null)
  await withSettings({ 'feed:paycontrol': false }, async () => {
    assert.equal((await publish(anna, { feed_content: 'x', amount: 5 })).status, 403)
    assert.equal((await publish(anna, { feed_content: 'x' })).status, 201)
  })
  for (const amount of [-1, 1.5, 'x', 10 ** 13])
    assert.equal((await publish(anna, { feed_content: 'x', amount })).status, 422)
})

test('rejects purchases of a deleted feed until its restoration (money-14)', async () => {
  const anna = await rich()
  const ben = await rich()
  const cleo = await rich()
  const { feed, node } = await sell(anna)
  await buy(ben, node)
  await as(anna, 'DELETE', `/feeds/${feed}`)
  assert.equal((await buy(cleo, node)).status, 404)
  assert.equal((await as(cleo, 'GET', `/purchases/${node}`)).status, 404)
  assert.equal((await owns(ben)).points, 900)
  await as(founder, 'PATCH', `/admin/feeds/${feed}`, { deleted: false })
  assert.equal((await as(ben, 'GET', `/feeds/${feed}`)).status, 200)
  assert.equal((await buy(cleo, node)).status, 201)
  await audit()
})

test("pays the site when the seller's account is deleted (money-14)", async () => {
  const anna = await rich()
  const ben = await rich()
  const { node } = await sell(anna)
  await sql`update users set deleted_at = now() where id = ${anna.id}`
  const income = async () => (await as(founder, 'GET', '/admin/ledger/audit')).body.totals.points.income
  const before = await income()
  assert.equal((await buy(ben, node)).status, 201)
  assert.equal((await income()) - before, 100)
  await audit()
})

test('charges a changed price only to later buyers (money-14)', async () => {
  const ben = await rich()
  const cleo = await rich()
  const ids = await setPrices(sql, [
    { channel: 'music', raw: 77, amount: 10, userId: 0, subject: 'An album' },
  ])
  const node = ids.get(77) as number
  assert.equal((await as(ben, 'GET', `/purchases/${node}`)).body.subject, 'An album')
  await buy(ben, node)
  await setPrices(sql, [{ channel: 'music', raw: 77, amount: 20, userId: 0 }])
  assert.equal((await buy(cleo, node)).status, 201)
  assert.deepEqual([(await owns(ben)).points, (await owns(cleo)).points], [990, 980])
  assert.equal((await as(ben, 'GET', '/currency/orders')).body[0].title, 'An album')
  await removePrices(sql, 'music', [77])
  assert.equal((await as(ben, 'GET', `/purchases/${node}`)).status, 404)
  await audit()
})
