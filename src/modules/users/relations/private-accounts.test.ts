import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { announce, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { createWorld, type Person } from '#test/world.ts'
import { COUNTERS } from '../../../site.ts'
import { enqueueSettling } from './withheld.ts'

const { as, guest, person, sql, work } = await createWorld()

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

const follow = (who: Person, whom: Person) => as(who, 'PUT', `/user/followings/${whom.id}`)
const unfollow = (who: Person, whom: Person) => as(who, 'DELETE', `/user/followings/${whom.id}`)
const accept = (who: Person, whom: Person) => as(who, 'PUT', `/user/follow-requests/${whom.id}`)
const refuse = (who: Person, whom: Person) => as(who, 'DELETE', `/user/follow-requests/${whom.id}`)
const badges = async (who: Person) => {
  const {
    at,
    comment,
    follow: follows,
    system,
  } = (await as(who, 'GET', '/user/notification-statistics')).body
  return { at: at.badge, comment: comment.badge, follow: follows.badge, system: system.badge }
}
const NONE = { at: 0, comment: 0, follow: 0, system: 0 }
/** Differences between counters or follows and what `kith doctor` counts. */
const drift = async () => {
  const found: string[] = []
  for (const check of COUNTERS)
    for (const { key, kept, counted } of await check.find(sql))
      found.push(`${check.name} ${key}: ${kept}, ${counted}`)
  return found
}
const disable = (who: Person, isDisabled: boolean) =>
  transaction(sql, async (tx) => {
    await tx`update users set deleted_at = ${isDisabled ? tx`now()` : null} where id = ${who.id}`
    await enqueueSettling(tx, [who.id])
  })

test('withdraws the notification at each end of a request (relations-9)', async () => {
  const [ann, bob] = [await person(), await person()]
  await setPrivate(ann)
  const ends: Record<string, () => Promise<unknown>> = {
    withdrawn: () => unfollow(bob, ann),
    refused: () => refuse(ann, bob),
    blocked: () =>
      as(ann, 'POST', `/user/black/${bob.id}`).then(() => as(ann, 'DELETE', `/user/black/${bob.id}`)),
    accepted: () => accept(ann, bob),
  }
  for (const [name, end] of Object.entries(ends)) {
    for (let n = 0; n < 2; n += 1) await follow(bob, ann)
    assert.equal((await as(ann, 'GET', `/user/relations/${bob.id}`)).body.requests, true)
    assert.equal((await badges(ann)).system, 1, name)
    await end()
    assert.deepEqual(await badges(ann), NONE, name)
    assert.equal((await badges(bob)).system, name === 'accepted' ? 1 : 0, name)
    assert.equal((await as(ann, 'GET', `/user/relations/${bob.id}`)).body.requests, false)
  }
  assert.deepEqual(await drift(), [])
})

test('notifies of no request of a muted person (relations-9)', async () => {
  const [ann, bob] = [await person(), await person()]
  await setPrivate(ann)
  await as(ann, 'PUT', `/user/mutes/${bob.id}`, {})
  await follow(bob, ann)
  assert.deepEqual(await badges(ann), NONE)
  assert.equal((await as(ann, 'GET', '/user/follow-requests')).body.length, 1)
})

test('keeps requests when the account becomes public, until a follow or decision ends them (relations-9)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await setPrivate(ann)
  for (const who of [bob, cid]) await follow(who, ann)
  await setPrivate(ann, false)
  assert.equal((await as(ann, 'GET', '/user/followers')).body.length, 0)
  await follow(bob, ann)
  assert.deepEqual(await badges(ann), { ...NONE, follow: 1, system: 1 })
  await accept(ann, cid)
  assert.deepEqual(await badges(ann), { ...NONE, follow: 1 })
  assert.equal((await as(ann, 'GET', '/user/followers')).body.length, 2)
  assert.equal((await sql`select from follow_requests where target_id = ${ann.id}`).length, 0)
  assert.deepEqual(await drift(), [])
})

test('leaves one outcome and exact counters when requests are decided and changed concurrently (relations-9)', async () => {
  const ann = await person()
  const askers = await Promise.all(Array.from({ length: 6 }, () => person()))
  for (let round = 0; round < 4; round += 1) {
    await setPrivate(ann)
    await Promise.all(askers.map((who) => follow(who, ann)))
    const replies = await Promise.all([
      ...askers.flatMap((who, n) => [
        accept(ann, who),
        accept(ann, who),
        n % 3 === 0
          ? unfollow(who, ann)
          : n % 3 === 1
            ? refuse(ann, who)
            : as(who, 'POST', `/user/black/${ann.id}`),
      ]),
      setPrivate(ann, round % 2 === 0),
    ])
    assert.ok(replies.every(({ status }) => status < 500))
    for (const who of askers) {
      const { requested } = (await as(who, 'GET', `/user/relations/${ann.id}`)).body
      const { follower } = (await as(who, 'GET', `/users/${ann.id}`)).body
      assert.equal(requested && follower, false, 'a request beside a follow')
      await as(who, 'DELETE', `/user/black/${ann.id}`)
    }
    assert.deepEqual(await drift(), [])
    for (const who of askers) await unfollow(who, ann)
  }
  assert.equal((await badges(ann)).system, 0)
})

test('accepts a request once when its owner accepts it twice at the same time (relations-9)', async () => {
  const [ann, bob] = [await person(), await person()]
  await setPrivate(ann)
  await follow(bob, ann)
  const replies = await Promise.all([accept(ann, bob), accept(ann, bob)])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404])
  assert.deepEqual([(await badges(bob)).system, await drift()], [1, []])
})

test('withdraws unread notifications about feeds that their reader may no longer see (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  for (const who of [bob, cid]) await follow(who, ann)
  const text = `hello \u00AD@${bob.name}\u00AD and \u00AD@${cid.name}\u00AD`
  const feed = (await publish(ann, text)).body.id
  for (const who of [bob, cid])
    await as(ann, 'POST', `/feeds/${feed}/comments`, { body: 'yes', reply_user: who.id })
  await unfollow(cid, ann)
  await setPrivate(ann)
  await work()
  assert.deepEqual([await badges(bob), await badges(cid)], [{ ...NONE, at: 1, comment: 1 }, NONE])
  assert.equal(await statusOf(as(ann, 'DELETE', `/user/followers/${bob.id}`)), 204)
  await work()
  assert.deepEqual(await badges(bob), NONE)
  assert.deepEqual(await drift(), [])
})

test('shows feeds of a disabled private account to its followers, and hides those of an erased one (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await setPrivate(ann)
  for (const who of [bob, cid]) await follow(who, ann)
  await accept(ann, bob)
  const feed = (await publish(ann, 'mine')).body.id
  const seen = () => Promise.all([bob, cid].map((who) => statusOf(as(who, 'GET', `/feeds/${feed}`))))
  await disable(ann, true)
  await work()
  assert.deepEqual([await seen(), (await badges(bob)).system], [[200, 404], 0])
  await disable(ann, false)
  await disable(cid, true)
  await work()
  assert.deepEqual([await seen(), await badges(ann)], [[200, 404], NONE])
  assert.deepEqual((await as(ann, 'GET', '/user/follow-requests')).body, [])
  await disable(cid, false)
  await work()
  assert.equal((await as(ann, 'GET', '/user/follow-requests')).body.length, 1)
  await sql`insert into account_deletions (user_id, due_at) values (${ann.id}, now())`
  await addJob(sql, 'erase_account', { id: ann.id })
  await work()
  assert.deepEqual(await seen(), [404, 404])
  assert.equal(await statusOf(guest('GET', `/feeds/${feed}`)), 404)
  assert.equal((await sql`select from follow_requests where target_id = ${ann.id}`).length, 0)
})

test('shows the followers and followings of a private account to its followers only (relations-8)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await follow(bob, ann)
  await follow(ann, cid)
  await setPrivate(ann)
  const listed = async (read: (path: string) => Promise<{ body: unknown[] }>) => [
    (await read(`/users/${ann.id}/followers`)).body.length,
    (await read(`/users/${ann.id}/followings`)).body.length,
  ]
  assert.deepEqual(await listed((path) => as(bob, 'GET', path)), [1, 1])
  assert.deepEqual(await listed((path) => as(ann, 'GET', path)), [1, 1])
  assert.deepEqual(await listed((path) => as(cid, 'GET', path)), [0, 0])
  assert.deepEqual(await listed((path) => guest('GET', path)), [0, 0])
})

test('purges replies cached for guests in the process that did not make the change (relations-8)', async () => {
  const cached = await createWorld({ GUEST_CACHE_MS: '60000' })
  const ann = await cached.person()
  const feed = (await cached.as(ann, 'POST', '/feeds', { feed_content: 'mine', feed_from: 1, feed_mark: 1 }))
    .body.id
  const read = async () => (await cached.guest('GET', `/feeds/${feed}`)).status
  assert.equal(await read(), 200)
  await cached.sql`insert into private_accounts (user_id) values (${ann.id})`
  assert.equal(await read(), 200, 'the reply is cached')
  await announce(cached.sql, 'guest-replies', ['*'])
  for (let tries = 0; (await read()) === 200; tries += 1) {
    assert.ok(tries < 1000, 'the signal drops the reply')
    await setTimeout(20)
  }
  assert.equal(await read(), 404)
})
