import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contributionWorld } from '#test/fixtures/contributions.ts'
import { certify, givePoints, setSettings } from '#test/fixtures/news.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import type { Person } from '#test/world.ts'

const {
  world,
  as,
  guest,
  person,
  sql,
  editor,
  category,
  tag,
  codeOf,
  points,
  stateOf,
  decide,
  contribution,
  send,
  told,
  writer,
  contributed,
  assertBalanced,
} = await contributionWorld()

describe('news contributions', () => {
  test('holds the fee of a contribution in escrow until its publication (news-13)', async () => {
    const who = await writer()
    const id = await contributed(who, { subject: 'About', from: 'Here', author: 'Me' })
    assert.deepEqual(await stateOf(id), { audit_status: 1, audit_count: 0, fee_state: 'escrow' })
    assert.equal(await points(who), 900)
    assert.equal((await guest('GET', `/news/${id}`)).status, 404)
    const mine = await as(who, 'GET', '/user/news/contributes?type=1')
    assert.deepEqual([mine.body.length, mine.body[0].id, mine.body[0].mark], [1, id, null])
    const racing = await Promise.all([1, 2, 3].map(() => decide(id, { audit_status: 0 })))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 422, 422])
    assert.deepEqual(await stateOf(id), { audit_status: 0, audit_count: 0, fee_state: 'income' })
    assert.equal((await guest('GET', `/news/${id}`)).body.tags[0].id, tag)
    assert.deepEqual(await told(who), ['news:audit'])
    assert.equal(await points(who), 900)
    await assertBalanced()
  })

  test('notifies mentioned users when an article is published (news-24)', async () => {
    const [who, bob] = [await writer(), await person()]
    const mentions = () => sql`select from notifications where user_id = ${bob.id} and type = 'at'`
    const id = await contributed(who, { content: `Thanks @${bob.name}` })
    assert.equal((await mentions()).length, 0)
    await decide(id, { audit_status: 0 })
    assert.equal((await mentions()).length, 1)
  })

  test('checks a contribution in the documented order (news-11)', async () => {
    const who = await person()
    const missing = await as(who, 'POST', '/news/categories/999999999/currency-news', {})
    assert.deepEqual([missing.status, codeOf(missing)], [404, 'no_such_category'])
    const uncertified = await send(who, {})
    assert.deepEqual([uncertified.status, codeOf(uncertified)], [403, 'certification_needed'])
    await certify(world, who)
    for (const [field, body] of [
      ['title', { content: 'x', tags: '1' }],
      ['title', { ...contribution, title: 'x'.repeat(41) }],
      ['content', { title: 'x', tags: '1' }],
      ['tags', { title: 'x', content: 'x' }],
      ['tags', { ...contribution, tags: '' }],
      ['subject', { ...contribution, subject: 'x'.repeat(401) }],
    ] as const) {
      const answer = await send(who, body)
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], field)
    }
    const poor = await send(who)
    assert.deepEqual([poor.status, codeOf(poor)], [403, 'insufficient_balance'])
    await givePoints(world, who, 100)
    const unknown = await send(who, { ...contribution, tags: '999999999' })
    assert.ok(unknown.body.errors.tags)
    const foreign = await send(who, { ...contribution, image: await uploadPicture(world, editor) })
    assert.ok(foreign.body.errors.image)
    assert.equal(await points(who), 100)
    assert.equal((await guest('POST', `/news/categories/${category}/currency-news`, {})).status, 401)
    assert.equal((await sql`select from news where user_id = ${who.id}`).length, 0)
  })

  test('accepts a contribution of an uncertified user without a fee when the settings permit this', async () => {
    const who = await person()
    await setSettings(world, {
      'news:contribute:pay': false,
      'news:contribute:verified': false,
      'pay-validate-user-password': true,
    })
    const id = await contributed(who)
    assert.deepEqual(await stateOf(id), { audit_status: 1, audit_count: 0, fee_state: 'none' })
    await setSettings(world, { 'news:contribute:pay': true })
    assert.equal((await send(who)).status, 403)
    await setSettings(world, { 'news:contribute:verified': true, 'pay-validate-user-password': false })
  })

  test('charges a contribution once when its request repeats an Idempotency-Key', async () => {
    const who = await writer(150)
    const key = { 'idempotency-key': 'one' }
    const first = await send(who, contribution, key)
    const again = await send(who, contribution, key)
    assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(await points(who), 50)
  })

  test('accepts concurrent contributions only up to the balance of their author', async () => {
    const who = await writer(250)
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(who)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 403, 403, 403])
    assert.equal(await points(who), 50)
    await assertBalanced()
  })

  test('attaches the picture and the embedded uploads to a contribution', async () => {
    const who = await writer()
    const [image, inText] = [await uploadPicture(world, who), await uploadPicture(world, who)]
    const id = await contributed(who, { image, content: `See @![this](${inText})` })
    const stranger = await person()
    for (const file of [image, inText]) {
      const address = `/files/${file}`
      assert.equal((await guest('GET', address)).status, 404)
      assert.equal((await as(stranger, 'GET', address)).status, 404)
      for (const reader of [who, editor]) assert.equal((await as(reader, 'GET', address)).status, 302)
    }
    await decide(id, { audit_status: 0 })
    assert.deepEqual((await guest('GET', `/news/${id}`)).body.image, { id: image, size: '30x20' })
    const uses =
      await sql`select id, channel, raw from file_uses where id in (${image}, ${inText}) order by id`
    assert.deepEqual(
      uses.map(({ channel, raw }) => [channel, raw]),
      [
        ['news:image', id],
        ['news:content', id],
      ],
    )
    assert.equal((await as(editor, 'DELETE', `/admin/news/${id}`)).status, 204)
    assert.equal((await sql`select from file_uses where id in (${image}, ${inText})`).length, 0)
  })
})

test('lists only the published articles of another user (news-18)', async () => {
  const [who, other] = [await writer(), await person()]
  const [waiting, published] = [await contributed(who), await contributed(who)]
  await decide(published, { audit_status: 0 })
  const ids = async (reader: Person, query: string) =>
    (await as(reader, 'GET', `/user/news/contributes?${query}`)).body.map((item: { id: number }) => item.id)
  assert.deepEqual(await ids(who, ''), [published, waiting])
  assert.deepEqual(await ids(who, `after=${published}`), [waiting])
  assert.deepEqual(await ids(other, `user=${who.id}`), [published])
  assert.deepEqual(await ids(other, `user=${who.id}&type=1`), [published])
})

test("omits recycled articles from the author's list of contributions", async () => {
  const who = await writer()
  const [recycled, published] = [await contributed(who), await contributed(who)]
  await decide(published, { audit_status: 0 })
  await sql`update news set audit_status = 4 where id = ${recycled}`
  const { body } = await as(who, 'GET', '/user/news/contributes')
  assert.deepEqual(
    body.map((item: { id: number }) => item.id),
    [published],
  )
})
