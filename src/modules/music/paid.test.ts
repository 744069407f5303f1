import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditLedger, findBalance } from '#modules/ledger/index.ts'
import { createCategory, createNews, givePoints, newsEditor } from '#test/fixtures/news.ts'
import { createSong, createSpecial, musicEditor, uploadSound } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const editor = await musicEditor(world)

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const points = (who: Person) => findBalance(sql, who.id, 'points')
async function rich(): Promise<Person> {
  const who = await person()
  await givePoints(world, who, 100)
  return who
}
const song = (body: object = { amount: 30, paid_type: 'download' }) => createSong(world, editor, { body })
const read = async (id: number, who?: Person) =>
  (await (who ? as(who, 'GET', `/music/${id}`) : guest('GET', `/music/${id}`))).body
const pay = (who: Person, node: number) => as(who, 'POST', `/currency/purchases/${node}`)
const admin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  as(editor, method, `/admin/music/${path}`, body)
const assertBalanced = async () => assert.equal((await auditLedger(sql, [])).balanced, true)

describe('paid songs', () => {
  test('charges a user once for a song with a price', async () => {
    const buyer = await rich()
    const id = await song()
    const { storage } = await read(id)
    assert.deepEqual(Object.keys(storage), ['id', 'amount', 'type', 'paid', 'paid_node'])
    assert.deepEqual([storage.amount, storage.type, storage.paid], [30, 'download', false])
    const listed = (await guest('GET', `/music/songs?id=${id}`)).body[0]
    assert.deepEqual(listed.storage, { id: storage.id })
    assert.notEqual((await guest('GET', `/files/${storage.id}?json=1`)).status, 200)
    const answers = await Promise.all([1, 2, 3].map(() => pay(buyer, storage.paid_node)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
    assert.equal(await points(buyer), 70)
    assert.equal((await read(id, buyer)).storage.paid, true)
    assert.equal((await read(id)).storage.paid, false)
    assert.equal((await as(buyer, 'GET', `/files/${storage.id}?json=1`)).status, 200)
    await assertBalanced()
  })

  test('lists only songs that the user bought (music-12)', async () => {
    const [buyer, other] = [await rich(), await person()]
    const ids = [
      await song({ amount: 1, paid_type: 'listen' }),
      await song({ amount: 2, paid_type: 'listen' }),
    ]
    const [one, two] = ids as [number, number]
    for (const id of [two, one]) await pay(buyer, (await read(id)).storage.paid_node)
    await song({})
    const list = async (query: string) => idsOf((await as(buyer, 'GET', `/music/paids?${query}`)).body)
    assert.deepEqual(await list(''), [two, one])
    assert.deepEqual(await list('limit=1'), [two])
    assert.deepEqual(await list(`max_id=${two}`), [one])
    const { status, body } = await as(buyer, 'GET', '/music/paids')
    assert.equal(status, 200)
    assert.deepEqual([body[0].storage.paid, body[0].storage.type], [true, 'listen'])
    assert.match(body[0].singer.name, /^Singer/)
    assert.deepEqual((await as(other, 'GET', '/music/paids')).body, [])
    assert.equal((await guest('GET', '/music/paids')).status, 401)
    assert.equal((await as(buyer, 'GET', '/music/paids?limit=0')).status, 422)
    await admin('DELETE', `songs/${two}`)
    assert.deepEqual(await list(''), [one])
    await admin('PATCH', `songs/${one}`, { amount: null })
    assert.deepEqual(await list(''), [])
  })

  test('keeps the access of buyers when the sound or price of a song changes (music-12)', async () => {
    const buyer = await rich()
    const id = await song()
    await pay(buyer, (await read(id)).storage.paid_node)
    const storage = await uploadSound(world, editor)
    assert.equal((await admin('PATCH', `songs/${id}`, { storage, amount: 50 })).status, 204)
    const changed = (await read(id, buyer)).storage
    assert.deepEqual(
      [changed.id, changed.amount, changed.type, changed.paid],
      [storage, 50, 'download', true],
    )
    assert.equal((await admin('PATCH', `songs/${id}`, { paid_type: 'listen' })).status, 204)
    const record = (await admin('GET', `songs/${id}`)).body
    assert.deepEqual([record.amount, record.paid_type], [50, 'listen'])
    assert.equal((await admin('PATCH', `songs/${id}`, { title: 'Other' })).status, 204)
    assert.equal((await read(id)).storage.amount, 50)
    assert.equal((await admin('PATCH', `songs/${id}`, { amount: null })).status, 204)
    assert.deepEqual((await read(id)).storage, { id: storage })
  })

  test('requires a sound, an amount and `paid_type` to set the price of a song', async () => {
    const silent = await createSong(world, editor, { sound: false })
    for (const [field, body] of [
      ['amount', { amount: 0, paid_type: 'listen' }],
      ['amount', { amount: 1.5, paid_type: 'listen' }],
      ['amount', { amount: 5, paid_type: 'listen' }],
      ['paid_type', { amount: 5 }],
      ['paid_type', { amount: 5, paid_type: 'read' }],
    ] as const) {
      const answer = await admin('PATCH', `songs/${silent}`, body)
      assert.equal(answer.status, 422, JSON.stringify(body))
      assert.ok(answer.body.errors[field], field)
    }
  })
})

describe('paid albums', () => {
  test('returns 403 for an album until the user pays for it (music-8)', async () => {
    const buyer = await rich()
    const id = await createSpecial(world, editor, { songs: [await song({})], body: { amount: 60 } })
    const refused = await as(buyer, 'GET', `/music/specials/${id}`)
    const { paid_node: node, amount, message } = refused.body
    assert.deepEqual([refused.status, amount, typeof message], [403, 60, 'string'])
    assert.equal((await guest('GET', `/music/specials/${id}`)).status, 403)
    const [listed] = (await guest('GET', `/music/specials?id=${id}`)).body
    assert.deepEqual(listed.paid_node, { paid: false, node, amount: 60 })
    assert.equal((await pay(buyer, node)).status, 201)
    assert.equal((await pay(buyer, node)).status, 422)
    assert.equal(await points(buyer), 40)
    const { status, body } = await as(buyer, 'GET', `/music/specials/${id}`)
    assert.deepEqual([status, body.paid_node, body.musics.length], [200, { paid: true, node, amount: 60 }, 1])
    assert.equal((await guest('GET', `/music/specials/${id}`)).status, 403)
    const node_ = await as(buyer, 'GET', `/purchases/${node}`)
    assert.deepEqual([node_.body.channel, node_.body.raw, node_.body.extra], ['music', String(id), 'read'])
    await assertBalanced()
  })

  test('lists albums that the user bought', async () => {
    const buyer = await rich()
    const ids: number[] = []
    for (let n = 0; n < 2; n += 1) ids.unshift(await createSpecial(world, editor, { body: { amount: 5 } }))
    for (const id of [...ids].reverse()) {
      const [view] = (await guest('GET', `/music/specials?id=${id}`)).body
      await pay(buyer, view.paid_node.node)
    }
    const list = async (query: string) =>
      idsOf((await as(buyer, 'GET', `/music-specials/paids?${query}`)).body)
    assert.deepEqual(await list(''), ids)
    assert.deepEqual(await list(`max_id=${ids[0]}`), [ids[1]])
    assert.deepEqual(await list('limit=1'), [ids[0]])
    await admin('PATCH', `specials/${ids[0]}`, { amount: null })
    assert.equal((await guest('GET', `/music/specials/${ids[0]}`)).status, 200)
    assert.deepEqual(await list(''), [ids[1]])
    assert.equal((await guest('GET', '/music-specials/paids')).status, 401)
  })
})

test('pays rewards of an article to its author', async () => {
  const newsroom = await newsEditor(world)
  const [giver, author] = [await rich(), await person()]
  const id = await createNews(world, newsroom, author, { category_id: await createCategory(world, newsroom) })
  const give = (who: Person, amount: unknown) => as(who, 'POST', `/news/${id}/new-rewards`, { amount })
  assert.equal((await give(giver, 0)).status, 422)
  assert.equal((await give(author, 1)).status, 422)
  assert.equal((await give(giver, 101)).status, 403)
  assert.equal((await give(giver, 25)).status, 201)
  assert.deepEqual([await points(giver), await points(author)], [75, 25])
  assert.deepEqual((await guest('GET', `/news/${id}/rewards/sum`)).body, { count: 1, amount: 25 })
  assert.deepEqual((await guest('GET', `/news/${id}`)).body.reward, { count: 1, amount: 25 })
  assert.equal((await guest('GET', `/news/${id}/rewards`)).body[0].user.id, giver.id)
  const [notice] = await sql`select data from notifications where user_id = ${author.id}`
  assert.equal(notice?.data.type, 'reward:news')
  await assertBalanced()
})
