import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()

const block = (who: Person, id: number, headers = {}) =>
  as(who, 'POST', `/user/black/${id}`, undefined, headers)
const blacks = async (who: Person, query = '') => (await as(who, 'GET', `/user/blacks${query}`)).body

test('accepts repeated blocks and unblocks (sign-in-16)', async () => {
  const [ann, bob] = [await person(), await person()]
  for (let i = 0; i < 2; i += 1) {
    const answer = await block(ann, bob.id)
    assert.equal(answer.status, 201)
    assert.deepEqual(answer.body, { message: 'Blocked.' })
  }
  assert.deepEqual((await block(ann, bob.id, { 'accept-language': 'zh-CN' })).body, {
    message: '已加入黑名单。',
  })
  const [shown, ...others] = await blacks(ann)
  assert.deepEqual([shown.id, shown.blacked, others.length], [bob.id, true, 0])
  assert.equal((await as(ann, 'GET', `/users/${bob.id}`)).body.blacked, true)
  assert.equal((await as(bob, 'GET', `/users/${ann.id}`)).body.blacked, false)
  for (let i = 0; i < 2; i += 1) assert.equal((await as(ann, 'DELETE', `/user/black/${bob.id}`)).status, 204)
  assert.deepEqual(await blacks(ann), [])
})

test('rejects a request to block an unknown user or oneself', async () => {
  const [ann, gone] = [await person(), await person()]
  const answer = await block(ann, ann.id)
  assert.equal(answer.status, 422)
  assert.equal(answer.headers['x-error-code'], 'blocks_oneself')
  await block(ann, gone.id)
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  for (const id of [gone.id, 2 ** 40]) assert.equal((await block(ann, id)).status, 404)
  assert.equal((await as(ann, 'DELETE', `/user/black/${2 ** 40}`)).status, 404)
  // A user disabled after the block is absent from the list, but can be unblocked.
  assert.deepEqual(await blacks(ann), [])
  assert.equal((await as(ann, 'DELETE', `/user/black/${gone.id}`)).status, 204)
  for (const method of ['POST', 'DELETE'] as const)
    assert.equal((await guest(method, `/user/black/${ann.id}`)).status, 401)
  assert.equal((await guest('GET', '/user/blacks')).status, 401)
})

test("lists only the viewer's blocks, newest first", async () => {
  const [ann, other] = [await person(), await person()]
  const people = await Promise.all(Array.from({ length: 4 }, () => person()))
  for (const { id } of people) await block(ann, id)
  await block(other, ann.id)
  const ids = people.map(({ id }) => id).reverse()
  assert.deepEqual(
    (await blacks(ann)).map((user: { id: number }) => user.id),
    ids,
  )
  assert.deepEqual(
    (await blacks(ann, '?limit=2&offset=1')).map((user: { id: number }) => user.id),
    ids.slice(1, 3),
  )
  assert.equal((await as(ann, 'GET', '/user/blacks?limit=101')).status, 422)
})

test('creates one block from concurrent requests', async () => {
  const [ann, bob] = [await person(), await person()]
  const answers = await Promise.all(Array.from({ length: 10 }, () => block(ann, bob.id)))
  assert.ok(answers.every(({ status }) => status === 201))
  assert.equal((await blacks(ann)).length, 1)
})

const countsOf = async (who: Person) => {
  const { extra } = (await guest('GET', `/users/${who.id}`)).body
  return [extra.followers_count, extra.followings_count, (await as(who, 'GET', '/user')).body.friends_count]
}

test('ends the follows of both people with their counters and unread notifications (relations-1)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  await as(cid, 'PUT', `/user/followings/${ann.id}`)
  const unread = async (who: Person) => {
    const [row] = await sql<[{ unread: number; listed: number }]>`
      select coalesce(sum(unread), 0)::int as unread,
        (select count(*)::int from notifications where user_id = ${who.id}) as listed
      from notification_counts where user_id = ${who.id}`
    return [row.unread, row.listed]
  }
  assert.deepEqual(await unread(ann), [2, 2])
  await block(ann, bob.id)
  const { body } = await as(ann, 'GET', `/users/${bob.id}`)
  assert.deepEqual([body.following, body.follower, body.blacked], [false, false, true])
  assert.deepEqual(await countsOf(ann), [1, 0, 0])
  assert.deepEqual(await countsOf(bob), [0, 0, 0])
  assert.deepEqual(await unread(ann), [1, 1])
  assert.deepEqual(await unread(bob), [0, 0])
  await as(ann, 'DELETE', `/user/black/${bob.id}`)
  assert.deepEqual(await countsOf(ann), [1, 0, 0])
  assert.equal((await as(bob, 'PUT', `/user/followings/${ann.id}`)).status, 204)
})

test('leaves no follow beside a block when both begin concurrently (relations-1)', async () => {
  const [ann, bob] = [await person(), await person()]
  for (let round = 0; round < 12; round += 1) {
    const answers = await Promise.all([
      as(bob, 'PUT', `/user/followings/${ann.id}`),
      block(ann, bob.id),
      as(ann, 'PUT', `/user/followings/${bob.id}`),
      ...(round % 3 === 0 ? [block(bob, ann.id)] : []),
      ...(round % 4 === 0 ? [as(ann, 'DELETE', `/user/followers/${bob.id}`)] : []),
    ])
    assert.ok(answers.every(({ status }) => [201, 204, 403].includes(status)))
    const [row] = await sql<[{ n: number }]>`
      select count(*)::int as n from user_follows where user_id = any(${[ann.id, bob.id]})`
    assert.deepEqual([row.n, await countsOf(ann), await countsOf(bob)], [0, [0, 0, 0], [0, 0, 0]])
    await as(ann, 'DELETE', `/user/black/${bob.id}`)
    await as(bob, 'DELETE', `/user/black/${ann.id}`)
  }
})

test('removes a follower without notifying them (relations-4)', async () => {
  const [ann, bob] = [await person(), await person()]
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  for (let i = 0; i < 2; i += 1)
    assert.equal((await as(ann, 'DELETE', `/user/followers/${bob.id}`)).status, 204)
  assert.deepEqual(await countsOf(ann), [0, 0, 0])
  assert.deepEqual(await countsOf(bob), [0, 0, 0])
  assert.deepEqual((await as(bob, 'GET', '/user/notifications?type=system')).body.data, [])
  assert.equal((await as(bob, 'PUT', `/user/followings/${ann.id}`)).status, 204)
  assert.equal((await as(ann, 'DELETE', `/user/followers/${2 ** 40}`)).status, 404)
  assert.equal((await guest('DELETE', `/user/followers/${bob.id}`)).status, 401)
  assert.deepEqual(await countsOf(ann), [1, 0, 0])
})

test('forbids a quote of a person who blocks the author (relations-3)', async () => {
  const [ann, bob] = [await person(), await person()]
  const { id } = (await as(ann, 'POST', '/feeds', { feed_content: 'hello', feed_from: 5, feed_mark: 9 })).body
  const quote = { feed_content: 'see', feed_from: 5, repostable_type: 'feeds', repostable_id: id }
  assert.equal((await as(bob, 'POST', '/feeds', { ...quote, feed_mark: 1 })).status, 201)
  await block(ann, bob.id)
  const answer = await as(bob, 'POST', '/feeds', { ...quote, feed_mark: 2 })
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'blocked'])
  await as(ann, 'DELETE', `/user/black/${bob.id}`)
  assert.equal((await as(bob, 'POST', '/feeds', { ...quote, feed_mark: 3 })).status, 201)
})

test('returns the same relations when the viewer has too many follows to cache', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(cid, 'PUT', `/user/followings/${bob.id}`)
  const dan = await person()
  await as(dan, 'PUT', `/user/followings/${ann.id}`)
  await block(ann, cid.id)
  const shown = async () => {
    const { body } = await as(ann, 'GET', `/users?id=${ann.id},${bob.id},${cid.id},${dan.id}`)
    return body
      .sort((a: { id: number }, b: { id: number }) => a.id - b.id)
      .map((user: Record<string, boolean>) => [user.following, user.follower, user.blacked])
  }
  const expected = [
    [false, false, false],
    [false, true, false],
    [false, false, true],
    [true, false, false],
  ]
  assert.deepEqual(await shown(), expected)
  // Exceeds the maximum number of cached follows, so that the server queries the follows on each request.
  await sql`update user_counts set followings_count = 1000, followers_count = 1000 where user_id = ${ann.id}`
  await as(ann, 'DELETE', `/user/followings/${bob.id}`)
  assert.deepEqual((await shown())[1], [false, false, false])
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  assert.deepEqual(await shown(), expected)
})
