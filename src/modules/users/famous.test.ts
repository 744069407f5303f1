import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { accountCounters } from './counters.ts'

const world = await createWorld()
const { as, person, sql } = world
const { signUp } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })

const ids = (people: { id: number }[]) => people.map(({ id }) => id).sort((a, b) => a - b)
const make = (id: number, type: unknown) => as(founder, 'PUT', `/admin/user-famous/${id}`, { type })

test('makes each new user follow the famous users (sign-in-18)', async () => {
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

test('rejects invalid and unauthorized changes of famous users (administration-9)', async () => {
  assert.deepEqual(Object.keys((await make(founder.id, 'other')).body.errors), ['type'])
  assert.equal((await make(2 ** 40, 'other')).status, 404)
  assert.equal((await make(2 ** 40, 'each')).status, 404)
  const member = await person()
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal((await as(member, method, `/admin/user-famous/${member.id}`, { type: 'each' })).status, 403)
})

test('sorts, paginates and filters the list of famous users (administration-9)', async () => {
  await sql`delete from famous_users`
  const [ann, bob, cat] = [
    await person({ name: 'fame_ann' }),
    await person({ name: 'fame_bob' }),
    await person({ name: 'fame_cat' }),
  ]
  for (const [{ id }, type] of [
    [bob, 'each'],
    [cat, 'followed'],
    [ann, 'each'],
  ] as const)
    assert.equal((await make(id, type)).status, 204)
  const list = async (query = '') => {
    const { data, total } = (await as(founder, 'GET', `/admin/user-famous?${query}`)).body
    return [total, ...data.map(({ user }: { user: { id: number } }) => user.id)]
  }
  assert.deepEqual(await list(), [3, ann.id, cat.id, bob.id])
  assert.deepEqual(await list('order=asc'), [3, bob.id, cat.id, ann.id])
  assert.deepEqual(await list('sort=id'), [3, cat.id, bob.id, ann.id])
  assert.deepEqual(await list('limit=1&page=2'), [3, cat.id])
  assert.deepEqual(await list(`limit=1&after=${cat.id}`), [3, bob.id])
  assert.deepEqual(await list('type=each'), [2, ann.id, bob.id])
  assert.deepEqual(await list('type=followed'), [1, cat.id])
  assert.deepEqual(await list('q=AME_B'), [1, bob.id])
  assert.deepEqual(await list('q=fame_&type=followed'), [1, cat.id])
})

test('rejects a famous user above the maximum of 50 (administration-9)', async () => {
  await sql`delete from famous_users`
  await sql`
    with people as (
      insert into users (name, name_key) select 'famous_' || n, 'famous_' || n from generate_series(1, 49) as n
      returning id
    )
    insert into famous_users (user_id, type) select id, 'followed' from people`
  const [fiftieth, next] = [await person(), await person()]
  const total = async () => (await as(founder, 'GET', '/admin/user-famous?limit=1')).body.total
  assert.equal((await make(fiftieth.id, 'followed')).status, 204)
  const refused = await make(next.id, 'followed')
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [422, 'too_many_famous'])
  assert.equal(await total(), 50)
  assert.equal((await make(fiftieth.id, 'each')).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/user-famous/${fiftieth.id}`)).status, 204)
  assert.equal((await make(next.id, 'followed')).status, 204)
  assert.equal(await total(), 50)
})

test('writes no audit record when a famous user already has the type (administration-9)', async () => {
  await sql`delete from famous_users`
  const ann = await person()
  for (const type of ['each', 'each', 'followed']) assert.equal((await make(ann.id, type)).status, 204)
  assert.equal((await as(founder, 'DELETE', `/admin/user-famous/${ann.id}`)).status, 204)
  const { data } = (await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${ann.id}`)).body
  assert.deepEqual(
    data.map(({ action, after }: { action: string; after: object | null }) => [action, after]),
    [
      ['users.unfamous', null],
      ['users.famous', { type: 'followed' }],
      ['users.famous', { type: 'each' }],
    ],
  )
})
