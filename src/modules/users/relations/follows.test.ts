import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'
import { accountCounters } from '../counters.ts'
import { followTasks, friendsOf } from './queries.ts'

const { as, guest, person, sql, ctx } = await createWorld()

const follow = (who: Person, whom: { id: number }) => as(who, 'PUT', `/user/followings/${whom.id}`)
const unfollow = (who: Person, whom: { id: number }) => as(who, 'DELETE', `/user/followings/${whom.id}`)
const disable = (who: Person) => sql`update users set deleted_at = now() where id = ${who.id}`
const ids = (people: { id: number }[]) => people.map(({ id }) => id)
const countsOf = async (who: Person) => {
  const { extra } = (await guest('GET', `/users/${who.id}`)).body
  return [extra.followers_count, extra.followings_count]
}
const unread = async (who: Person) => {
  const rows = await sql<{ sender_id: number }[]>`
    select sender_id from notifications where user_id = ${who.id} and type = 'follow' order by seq`
  return rows.map((row) => row.sender_id)
}

test('updates the counters of both users on follow and unfollow (sign-in-12)', async () => {
  const [ann, bob] = [await person(), await person()]
  const answer = await follow(ann, bob)
  assert.equal(answer.status, 204)
  assert.equal(answer.body, null)
  assert.deepEqual(await countsOf(ann), [0, 1])
  assert.deepEqual(await countsOf(bob), [1, 0])
  assert.deepEqual(await unread(bob), [ann.id])

  assert.equal((await unfollow(ann, bob)).status, 204)
  assert.deepEqual(await countsOf(ann), [0, 0])
  assert.deepEqual(await countsOf(bob), [0, 0])
  assert.deepEqual(await unread(bob), [])
})

test('rejects a second follow of the same user (sign-in-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  await follow(ann, bob)
  const answer = await follow(ann, bob)
  assert.equal(answer.status, 422)
  assert.equal(answer.headers['x-error-code'], 'already_followed')
  assert.equal(typeof answer.body.message, 'string')
  assert.deepEqual(await countsOf(bob), [1, 0])
  assert.deepEqual(await unread(bob), [ann.id])
})

test('ignores the unfollowing of a user who is not followed (sign-in-15)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await follow(cid, bob)
  await follow(ann, cid)
  for (let i = 0; i < 2; i += 1) assert.equal((await unfollow(ann, bob)).status, 204)
  assert.deepEqual(await countsOf(ann), [0, 1])
  assert.deepEqual(await countsOf(bob), [1, 0])
})

test('rejects a follow of oneself', async () => {
  const ann = await person()
  const answer = await follow(ann, ann)
  assert.equal(answer.status, 422)
  assert.equal(answer.headers['x-error-code'], 'follows_oneself')
  assert.deepEqual(await countsOf(ann), [0, 0])
})

test('rejects follows of unknown and disabled users', async () => {
  const [ann, gone] = [await person(), await person()]
  await follow(ann, gone)
  await disable(gone)
  assert.equal((await follow(ann, gone)).status, 404)
  assert.equal((await follow(ann, { id: 2 ** 40 })).status, 404)
  assert.equal((await unfollow(ann, { id: 2 ** 40 })).status, 404)
  assert.equal((await as(ann, 'PUT', '/user/followings/abc')).status, 404)
  assert.equal((await unfollow(ann, gone)).status, 204)
  assert.deepEqual(await countsOf(ann), [0, 0])
  assert.equal((await unfollow(ann, gone)).status, 404)
})

test('rejects a follow by a blocked user (conventions-26)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await follow(cid, bob)
  for (const who of [ann, cid]) await as(bob, 'POST', `/user/black/${who.id}`)
  for (const who of [ann, cid]) {
    const answer = await follow(who, bob)
    assert.equal(answer.status, 403)
    assert.equal(answer.headers['x-error-code'], 'blocked')
  }
  assert.deepEqual(await countsOf(bob), [0, 0])
  const answer = await follow(bob, ann)
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'blocks_target'])
})

test('counts a follow once when the follower sends several concurrent requests', async () => {
  const [ann, bob] = [await person(), await person()]
  const answers = await Promise.all(Array.from({ length: 12 }, () => follow(ann, bob)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(11).fill(422)])
  assert.deepEqual(await countsOf(bob), [1, 0])
  assert.deepEqual(await countsOf(ann), [0, 1])
  assert.deepEqual(await unread(bob), [ann.id])
  const ended = await Promise.all(Array.from({ length: 12 }, () => unfollow(ann, bob)))
  assert.ok(ended.every(({ status }) => status === 204))
  assert.deepEqual(await countsOf(bob), [0, 0])
  assert.deepEqual(await countsOf(ann), [0, 0])
})

test('maintains exact follow counters when users follow and unfollow each other concurrently', async () => {
  const crowd = await Promise.all(Array.from({ length: 6 }, () => person()))
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      crowd.flatMap((who) =>
        crowd
          .filter((whom) => whom !== who)
          .map((whom) => ((who.id + whom.id + round) % 3 === 0 ? unfollow(who, whom) : follow(who, whom))),
      ),
    )
    assert.ok(answers.every(({ status }) => status === 204 || status === 422))
  }
  const rows = await sql<{ id: number; followers: number; followings: number; friends: number }[]>`
    select id, (${friendsOf(sql, sql`u.id`)}) as friends,
      (select count(*) from user_follows where target_id = u.id)::int as followers,
      (select count(*) from user_follows where user_id = u.id)::int as followings
    from users u where id = any(${ids(crowd)})`
  for (const who of crowd) {
    const row = rows.find(({ id }) => id === who.id)
    assert.deepEqual(await countsOf(who), [row?.followers, row?.followings])
    assert.equal((await as(who, 'GET', '/user')).body.friends_count, row?.friends)
  }
})

test('maintains exact follow counters when blocks and follows run concurrently', async () => {
  const [ann, bob] = [await person(), await person()]
  for (let round = 0; round < 5; round += 1) {
    const [followed] = await Promise.all([
      follow(ann, bob),
      as(bob, 'POST', `/user/black/${ann.id}`),
      follow(bob, ann),
    ])
    assert.ok([204, 403].includes(followed.status))
    assert.deepEqual(await countsOf(bob), [0, 0])
    await Promise.all([unfollow(ann, bob), unfollow(bob, ann), as(bob, 'DELETE', `/user/black/${ann.id}`)])
    assert.deepEqual(await countsOf(bob), [0, 0])
  }
})

test('lists enabled followers and followings, newest first', async () => {
  const star = await person()
  const fans = await Promise.all(Array.from({ length: 5 }, () => person()))
  for (const fan of fans) await follow(fan, star)
  for (const fan of fans) await follow(star, fan)
  await disable(fans[2] as Person)
  const shown = ids(fans.filter((_, index) => index !== 2)).reverse()
  for (const list of ['followers', 'followings']) {
    for (const answer of [
      await as(star, 'GET', `/user/${list}`),
      await guest('GET', `/users/${star.id}/${list}`),
    ]) {
      assert.equal(answer.status, 200)
      assert.deepEqual(ids(answer.body), shown)
    }
    const page = await as(star, 'GET', `/users/${star.id}/${list}?limit=2&offset=1`)
    assert.deepEqual(ids(page.body), shown.slice(1, 3))
    assert.deepEqual((await as(star, 'GET', `/user/${list}?offset=50`)).body, [])
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'offset=-1'])
      assert.equal((await as(star, 'GET', `/user/${list}?${bad}`)).status, 422, bad)
  }
})

test('sets `following` when the listed user follows the viewer (sign-in-9)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await follow(bob, ann)
  await follow(ann, cid)
  const [fan] = (await as(ann, 'GET', '/user/followers')).body
  assert.deepEqual([fan.id, fan.following, fan.follower, fan.blacked], [bob.id, true, false, false])
  const [idol] = (await as(ann, 'GET', '/user/followings')).body
  assert.deepEqual([idol.id, idol.following, idol.follower], [cid.id, false, true])
  const [seen] = (await guest('GET', `/users/${ann.id}/followers`)).body
  assert.deepEqual([seen.following, seen.follower, seen.blacked], [false, false, false])
})

test('returns 404 for relations of an unknown user even when the query is invalid (conventions-9)', async () => {
  const gone = await person()
  await disable(gone)
  for (const list of ['followers', 'followings']) {
    assert.equal((await guest('GET', `/users/${gone.id}/${list}`)).status, 404)
    assert.equal((await guest('GET', `/users/${2 ** 40}/${list}?limit=0`)).status, 404)
    assert.equal((await guest('GET', `/user/${list}`)).status, 401)
  }
})

test('filters mutual followers by a part of the name', async () => {
  const ann = await person()
  const [bob, cid, dan] = [
    await person({ name: '小白兔' }),
    await person({ name: 'Cid_100' }),
    await person({ name: '白马' }),
  ]
  for (const who of [bob, cid, dan]) await follow(ann, who)
  for (const who of [bob, cid]) await follow(who, ann)
  const mutual = async (query = '') => ids((await as(ann, 'GET', `/user/follow-mutual${query}`)).body)
  assert.deepEqual(await mutual(), [cid.id, bob.id])
  assert.deepEqual(await mutual('?limit=1&offset=1'), [bob.id])
  assert.deepEqual(await mutual('?keyword=白'), [bob.id])
  assert.deepEqual(await mutual('?keyword=CID'), [cid.id])
  assert.deepEqual(await mutual('?keyword=d_1'), [cid.id])
  assert.deepEqual(await mutual('?keyword=%25'), [])
  assert.deepEqual(await mutual('?keyword=%20'), [cid.id, bob.id])
  await disable(bob)
  assert.deepEqual(await mutual(), [cid.id])
  assert.equal((await guest('GET', '/user/follow-mutual')).status, 401)
})

test('repairs wrong counters of followers, followings and friends with a recount', async () => {
  const [ann, bob] = [await person(), await person()]
  await follow(ann, bob)
  await sql`update user_counts set followers_count = 5 where user_id = ${bob.id}`
  await sql`update user_counts set followings_count = 0, friends_count = 2 where user_id = ${ann.id}`
  const found = async () =>
    (await Promise.all(accountCounters.map(({ find }) => find(sql)))).map(([row]) => row)
  assert.deepEqual(await found(), [
    { key: String(bob.id), kept: 5, counted: 1 },
    { key: String(ann.id), kept: 0, counted: 1 },
    { key: String(ann.id), kept: 2, counted: 0 },
  ])
  for (const counter of accountCounters) assert.equal(await counter.mend(sql), 1)
  assert.deepEqual(await found(), [undefined, undefined, undefined])
  assert.deepEqual(await countsOf(bob), [1, 0])
  assert.deepEqual(await countsOf(ann), [0, 1])
})

test('maintains exact friend counts when two users follow each other concurrently', async () => {
  const pairs = await Promise.all(Array.from({ length: 5 }, () => Promise.all([person(), person()])))
  const friends = async () =>
    Promise.all(pairs.flat().map(async (who) => (await as(who, 'GET', '/user')).body.friends_count))
  await Promise.all(pairs.flatMap(([ann, bob]) => [follow(ann, bob), follow(bob, ann)]))
  assert.deepEqual(new Set(await friends()), new Set([1]))
  await Promise.all(pairs.flatMap(([ann, bob]) => [unfollow(ann, bob), unfollow(bob, ann)]))
  assert.deepEqual(new Set(await friends()), new Set([0]))
})

test('counts friends correctly before and after the backfill of an upgraded database', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await sql`
    insert into user_follows (user_id, target_id)
    values (${ann.id}, ${bob.id}), (${bob.id}, ${ann.id}), (${ann.id}, ${cid.id})`
  const friends = async (who: Person) => (await as(who, 'GET', '/user')).body.friends_count
  assert.deepEqual([await friends(ann), await friends(bob), await friends(cid)], [1, 1, 0])
  await sql`update user_counts set friends_count = null where user_id = any(${ids([ann, bob])})`
  await follow(cid, ann)
  assert.deepEqual([await friends(ann), await friends(bob), await friends(cid)], [2, 1, 1])
  await followTasks(ctx).count_friends!({}, {} as never)
  const [{ kept }] = await sql<[{ kept: number }]>`
    select friends_count as kept from user_counts where user_id = ${ann.id}`
  assert.equal(kept, 2)
  await sql`delete from user_follows where user_id = any(${ids([ann, bob, cid])})`
  assert.deepEqual([await friends(ann), await friends(bob), await friends(cid)], [0, 0, 0])
})
