import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountCounters } from '#modules/accounts/index.ts'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
const { signUp } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })

const ids = (people: { id: number }[]) => people.map(({ id }) => id).sort((a, b) => a - b)
const make = (id: number, type: unknown) => as(founder, 'PUT', `/admin/user-famous/${id}`, { type })

test('lets new users follow famous ones, some of which follow back, and counts it (sign-in-18)', async () => {
  const [star, friend, gone] = [await person(), await person(), await person()]
  for (const [who, type] of [
    [star, 'each'],
    [star, 'followed'],
    [friend, 'each'],
    [gone, 'each'],
  ] as const)
    assert.equal((await make(who.id, type)).status, 204)
  await sql`update users set deleted_at = now() where id = ${gone.id}`

  const [ann, bob] = await Promise.all([signUp({ password: null }), signUp({ password: null })])
  for (const newcomer of [ann, bob]) {
    assert.deepEqual(ids((await as(newcomer, 'GET', '/user/followings')).body), ids([star, friend]))
    assert.deepEqual(ids((await as(newcomer, 'GET', '/user/followers')).body), [friend.id])
    const { extra, friends_count: friends } = (await as(newcomer, 'GET', '/user')).body
    assert.deepEqual([extra.followings_count, extra.followers_count, friends], [2, 1, 1])
  }
  for (const check of accountCounters) assert.deepEqual(await check.find(sql), [], check.name)
  assert.equal((await as(star, 'GET', '/user/notification-statistics')).body.follow.badge, 0)

  const listed = (await as(founder, 'GET', '/admin/user-famous?sort=id&order=asc')).body
  assert.equal(listed.total, 2)
  assert.deepEqual(
    listed.data.map((row: { type: string; user: { id: number } }) => [row.user.id, row.type]),
    [
      [star.id, 'followed'],
      [friend.id, 'each'],
    ],
  )
  for (const who of [star, friend])
    assert.equal((await as(founder, 'DELETE', `/admin/user-famous/${who.id}`)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/user-famous/${star.id}`)).status, 404)
  assert.deepEqual((await as(await signUp({ password: null }), 'GET', '/user/followings')).body, [])
})

test('limits fame to known kinds and existing users, and requires the ability (administration-9)', async () => {
  assert.deepEqual(Object.keys((await make(founder.id, 'other')).body.errors), ['type'])
  assert.equal((await make(2 ** 40, 'other')).status, 404)
  assert.equal((await make(2 ** 40, 'each')).status, 404)
  const member = await person()
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal((await as(member, method, `/admin/user-famous/${member.id}`, { type: 'each' })).status, 403)
})
