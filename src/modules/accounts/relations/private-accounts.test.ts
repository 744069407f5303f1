import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()

let mark = 0
const publish = (who: Person, text: string, body: object = {}) => {
  mark += 1
  return as(who, 'POST', '/feeds', { feed_content: text, feed_from: 5, feed_mark: mark, ...body })
}
const setPrivate = (who: Person, isPrivate = true) => as(who, 'PUT', '/user/privacy', { private: isPrivate })
const statusOf = async (call: Promise<{ status: number }>) => (await call).status

/** Reads all lists that contained the feed of a public account. */
const LISTS = (author: Person, word: string, topic: number) => [
  '/feeds?type=new&limit=100',
  '/feeds?type=hot&limit=100',
  `/feeds?type=users&user=${author.id}`,
  `/feeds?type=new&search=${word}`,
  `/search?q=${word}`,
  `/feed/topics/${topic}/feeds`,
]

test('shows feeds of a private account to its followers only (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const topic = (await as(ann, 'POST', '/feed/topics', { name: 'quietgarden', desc: 'x' })).body.id
  await sql`update feed_topics set status = 'passed' where id = ${topic}`
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  const word = 'xylophonequartet'
  const feed = (await publish(ann, `${word} tonight`, { topics: [topic] })).body.id
  await as(cid, 'POST', `/feeds/${feed}/collections`)
  assert.equal(await statusOf(publish(cid, 'look', { repostable_type: 'feeds', repostable_id: feed })), 201)
  const comment = await as(cid, 'POST', `/feeds/${feed}/comments`, { body: 'nice' })
  assert.equal(comment.status, 201)
  const shows = async (read: Promise<{ body: unknown }>) => JSON.stringify((await read).body).includes(word)
  const lists = LISTS(ann, word, topic)
  const openTo = async (who: Person | null) => {
    const seen: string[] = []
    for (const path of [...lists, `/feeds?id=${feed}`, `/feeds/${feed}`])
      if (await shows(who ? as(who, 'GET', path) : guest('GET', path))) seen.push(path)
    return seen
  }
  const all = [...lists, `/feeds?id=${feed}`, `/feeds/${feed}`]
  assert.deepEqual(await openTo(bob), all)
  assert.deepEqual(await openTo(cid), all)
  assert.equal(await statusOf(setPrivate(ann)), 204)
  assert.deepEqual(await openTo(ann), all)
  assert.deepEqual(await openTo(bob), all)
  assert.deepEqual(await openTo(cid), [])
  assert.deepEqual(await openTo(null), [])
  assert.deepEqual((await as(cid, 'GET', '/feeds/collections')).body, [])
  for (const [method, path, body] of [
    ['POST', `/feeds/${feed}/comments`, { body: 'again' }],
    ['GET', `/feeds/${feed}/comments`, undefined],
    ['POST', `/feeds/${feed}/like`, undefined],
    ['GET', `/feeds/${feed}/likes`, undefined],
    ['GET', `/feeds/${feed}/rewards`, undefined],
  ] as const)
    assert.equal(await statusOf(as(cid, method, path, body)), 404, `${method} ${path}`)
  assert.equal(await statusOf(publish(cid, 'see', { repostable_type: 'feeds', repostable_id: feed })), 422)
  await setPrivate(ann, false)
  assert.deepEqual(await openTo(null), all)
})

test('notifies only readers of mentions in a private feed and its comments (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  await setPrivate(ann)
  const text = `hello @${bob.name} and @${cid.name} `
  const feed = (await publish(ann, text)).body.id
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: `see @${cid.name} and @${ann.name} ` })
  const told = async (who: Person) => (await as(who, 'GET', '/user/notifications?type=at')).body.data.length
  assert.deepEqual([await told(ann), await told(bob), await told(cid)], [1, 1, 0])
})

test('omits comments and likes on private feeds from other lists (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  const feed = (await publish(ann, 'mine')).body.id
  await as(bob, 'POST', `/feeds/${feed}/like`)
  const comment = await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'unheardofword' })
  const id = comment.body.comment?.id ?? comment.body.id
  const sees = async (who: Person) =>
    JSON.stringify([
      (await as(who, 'GET', `/comments?id=${id}`)).body,
      (await as(who, 'GET', `/comments?author=${bob.id}`)).body,
      (await as(who, 'GET', `/search?q=unheardofword`)).body,
    ]).includes('"body":"unheardofword"')
  assert.equal(await sees(cid), true)
  await setPrivate(ann)
  assert.equal(await sees(cid), false)
  assert.equal(await sees(bob), true)
})

test('turns a follow of a private account into a request, which its owner accepts or refuses (relations-9)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await setPrivate(ann)
  const feed = (await publish(ann, 'mine')).body.id
  const follow = (who: Person) => as(who, 'PUT', `/user/followings/${ann.id}`)
  for (const who of [bob, cid, bob]) assert.equal(await statusOf(follow(who)), 204)
  const waiting = async () =>
    (await as(ann, 'GET', '/user/follow-requests')).body.map((row: { user: { id: number } }) => row.user.id)
  assert.deepEqual(await waiting(), [cid.id, bob.id])
  assert.deepEqual((await as(ann, 'GET', '/user/followers')).body, [])
  assert.equal(await statusOf(as(bob, 'GET', `/feeds/${feed}`)), 404)
  assert.equal((await as(bob, 'GET', `/user/relations/${ann.id}`)).body.requested, true)
  assert.equal(await statusOf(as(ann, 'PUT', `/user/follow-requests/${bob.id}`)), 204)
  assert.equal(await statusOf(as(bob, 'GET', `/feeds/${feed}`)), 200)
  assert.equal((await as(bob, 'GET', `/user/relations/${ann.id}`)).body.requested, false)
  assert.equal(await statusOf(as(ann, 'PUT', `/user/follow-requests/${bob.id}`)), 404)
  assert.equal(await statusOf(as(ann, 'DELETE', `/user/follow-requests/${cid.id}`)), 204)
  assert.deepEqual(await waiting(), [])
  assert.equal(await statusOf(as(cid, 'GET', `/feeds/${feed}`)), 404)
  await follow(cid)
  await as(cid, 'DELETE', `/user/followings/${ann.id}`)
  assert.deepEqual(await waiting(), [])
  await follow(cid)
  await as(ann, 'POST', `/user/black/${cid.id}`)
  assert.equal((await sql`select from follow_requests`).length, 0)
  assert.equal(await statusOf(as(ann, 'DELETE', `/user/followers/${bob.id}`)), 204)
  assert.equal(await statusOf(as(bob, 'GET', `/feeds/${feed}`)), 404)
})
