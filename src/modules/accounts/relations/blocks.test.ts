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

test('preserves follows in both directions after a block (sign-in-16)', async () => {
  const [ann, bob] = [await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  await block(ann, bob.id)
  const { body } = await as(ann, 'GET', `/users/${bob.id}`)
  assert.deepEqual([body.following, body.follower, body.blacked], [true, true, true])
})

test('returns the same relations when the viewer has too many follows to cache', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(cid, 'PUT', `/user/followings/${ann.id}`)
  await as(cid, 'PUT', `/user/followings/${bob.id}`)
  await block(ann, cid.id)
  const shown = async () => {
    const { body } = await as(ann, 'GET', `/users?id=${ann.id},${bob.id},${cid.id}`)
    return body
      .sort((a: { id: number }, b: { id: number }) => a.id - b.id)
      .map((user: Record<string, boolean>) => [user.following, user.follower, user.blacked])
  }
  const expected = [
    [false, false, false],
    [false, true, false],
    [true, false, true],
  ]
  assert.deepEqual(await shown(), expected)
  // Exceeds the maximum number of cached follows, so that the server queries the follows on each request.
  await sql`update user_counts set followings_count = 1000, followers_count = 1000 where user_id = ${ann.id}`
  await as(ann, 'DELETE', `/user/followings/${bob.id}`)
  assert.deepEqual((await shown())[1], [false, false, false])
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  assert.deepEqual(await shown(), expected)
})
