import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()

const ids = (people: { id: number }[]) => people.map(({ id }) => id)
const disable = (who: Person) => sql`update users set deleted_at = now() where id = ${who.id}`
const find = async (query: string) => ids((await guest('GET', `/users?${query}`)).body)

test('lists enabled users by ids, newest first', async () => {
  const [ann, bob, gone] = [await person(), await person(), await person()]
  await disable(gone)
  const all = `id=${gone.id},${ann.id},${bob.id},${2 ** 40}`
  assert.deepEqual(await find(all), [bob.id, ann.id])
  assert.deepEqual(await find(`${all}&order=asc`), [ann.id, bob.id])
  assert.deepEqual(await find(`id[]=${ann.id}&id[]=${bob.id}`), [bob.id, ann.id])
  assert.deepEqual(await find(`${all}&limit=1`), [bob.id])
})

test('returns 404 for another spelling of an id (conventions-4)', async () => {
  const { id } = await person()
  for (const spelling of [`0${id}`, `%20${id}`, `${id}%20`, `${id}%0a`, `${id}.0`, `+${id}`])
    assert.equal((await guest('GET', `/users/${spelling}`)).status, 404, spelling)
  assert.equal((await guest('GET', `/users/${id}`)).body.id, id)
})

test('returns all requested users when no limit is given (sign-in-13)', async () => {
  const crowd = await Promise.all(Array.from({ length: 20 }, () => person()))
  assert.equal((await find(`id=${ids(crowd).join(',')}`)).length, 20)
  assert.equal((await guest('GET', '/users')).body.length, 15)
})

test('lists only users beyond the id in `since`, in the requested order (conventions-15)', async () => {
  const crowd = ids(await Promise.all(Array.from({ length: 5 }, () => person()))).sort((a, b) => a - b)
  const list = `id=${crowd.join(',')}`
  assert.deepEqual(await find(`${list}&since=${crowd[3]}`), crowd.slice(0, 3).reverse())
  assert.deepEqual(await find(`${list}&order=asc&since=${crowd[1]}&limit=2`), crowd.slice(2, 4))
  assert.deepEqual(await find(`${list}&since=0&order=asc`), crowd)
  for (const bad of ['limit=0', 'limit=101', 'since=-1', 'order=up', 'id=x', 'fetch_by=id'])
    assert.equal((await guest('GET', `/users?${bad}`)).status, 422, bad)
})

test('matches a part of a name in any script (conventions-34)', async () => {
  const [one, two] = [await person({ name: '赵钱孙' }), await person({ name: 'Zx_q9' })]
  for (const part of ['赵', '钱孙', '赵钱孙']) assert.deepEqual(await find(`name=${part}`), [one.id], part)
  for (const part of ['zx', 'X_Q', 'ｘ_ｑ9', '_q9'])
    assert.deepEqual(await find(`name=${encodeURIComponent(part)}`), [two.id], part)
  for (const part of ['赵孙', 'z%9', '%', 'zx%q'])
    assert.deepEqual(await find(`name=${encodeURIComponent(part)}`), [], part)
})

test('matches whole names separated by commas with `fetch_by=username` (sign-in-13)', async () => {
  const [one, two] = [await person({ name: 'Whole_One' }), await person({ name: '整个' })]
  await person({ name: 'Whole_Onet' })
  assert.deepEqual(await find('fetch_by=username&name=whole_one,整个,nobody_here'), [two.id, one.id])
  assert.deepEqual(await find('fetch_by=username&name=whole'), [])
})

test('accepts up to 100 names with `fetch_by=username`', async () => {
  const named = (length: number) => {
    const names = Array.from({ length }, (_, index) => `n${index}`).join(',')
    return guest('GET', `/users?fetch_by=username&name=${names}`)
  }
  assert.equal((await named(100)).status, 200)
  const answer = await named(101)
  assert.equal(answer.status, 422)
  assert.ok(answer.body.errors.name)
})

test('returns 404 for a disabled or unknown user', async () => {
  const [ann, gone] = [await person({ name: '单独一人' }), await person()]
  for (const key of [ann.id, '单独一人']) {
    const { status, body } = await guest('GET', `/users/${encodeURIComponent(key)}`)
    assert.equal(status, 200)
    assert.equal(body.id, ann.id)
    for (const hidden of ['phone', 'email', 'password']) assert.ok(!(hidden in body), hidden)
  }
  await disable(gone)
  for (const key of [gone.id, gone.name, 2 ** 40, '0', 'nobody_here', '%20', 'x'.repeat(200)])
    assert.equal((await guest('GET', `/users/${encodeURIComponent(key)}`)).status, 404, String(key))
  assert.equal((await guest('GET', `/users/${2 ** 40}?following=x`)).status, 404)
  assert.equal((await guest('GET', `/users/${ann.id}?following=x`)).status, 422)
})

test('reveals the user of a phone or e-mail only to that user and administrators (sign-in-13)', async () => {
  const [ann, bob, clerk] = [await person(), await person(), await person({ roles: ['founder'] })]
  await sql`update users set phone = '13800000001', email = 'Ann@example.com', email_key = 'ann@example.com'
    where id = ${ann.id}`
  for (const key of ['13800000001', '+86-13800000001', 'ANN@example.com']) {
    const path = `/users/${encodeURIComponent(key)}`
    for (const who of [ann, clerk]) {
      const { status, body } = await as(who, 'GET', path)
      assert.equal(status, 200, key)
      assert.equal(body.id, ann.id)
      assert.ok(!('phone' in body) && !('email' in body))
    }
    for (const answer of [await as(bob, 'GET', path), await guest('GET', path)])
      assert.deepEqual([answer.status, answer.body], [200, { id: -1 }])
  }
})

test('reveals that a phone or e-mail has an account unless a setting forbids it (sign-in-21)', async () => {
  const [gone, founder] = [await person(), await person({ roles: ['founder'] })]
  await sql`update users set phone = '13800000021', deleted_at = now() where id = ${gone.id}`
  const look = (key: string) => guest('GET', `/users/${key}`)
  assert.deepEqual((await look('13800000021')).body, { id: -1 })
  for (const key of ['13800000022', 'nobody@example.com']) assert.equal((await look(key)).status, 404)
  await as(founder, 'PATCH', '/admin/settings', { 'users:tell-known-accounts': false })
  assert.equal((await look('13800000021')).status, 404)
  await as(founder, 'PATCH', '/admin/settings', { 'users:tell-known-accounts': true })
  assert.equal((await look('13800000021')).status, 200)
})

test('limits lookups by phone and e-mail like sign-in attempts (sign-in-21)', async () => {
  const limited = await createWorld({ RATE_LIMIT_SENSITIVE: '3' })
  const { id, name } = await limited.person()
  await limited.sql`update users set phone = '13800000031' where id = ${id}`
  const statuses: number[] = []
  for (const key of ['13800000031', '13800000032', 'x@example.com', '13800000031', '13800000032'])
    statuses.push((await limited.guest('GET', `/users/${key}`)).status)
  assert.deepEqual(statuses, [200, 404, 404, 429, 429])
  for (const key of [id, name]) assert.equal((await limited.guest('GET', `/users/${key}`)).status, 200)
})

test('returns follow flags relative to the user in the parameter `following` or `follower`', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await as(cid, 'PUT', `/user/followings/${ann.id}`)
  const flags = async (query: string) => {
    const { body } = await as(bob, 'GET', `/users/${ann.id}${query}`)
    return [body.following, body.follower]
  }
  assert.deepEqual(await flags(''), [true, false])
  assert.deepEqual(await flags(`?following=${cid.id}`), [false, false])
  assert.deepEqual(await flags(`?follower=${cid.id}`), [true, true])
  assert.deepEqual(await flags(`?follower=${cid.id}&following=${cid.id}`), [false, true])
  assert.equal((await guest('GET', `/users/${ann.id}?following=${bob.id}`)).body.following, true)
})

test('returns the relations between the viewer and each listed user', async () => {
  const [viewer, followed, follower, friend, blocked] = await Promise.all(
    Array.from({ length: 5 }, () => person()),
  )
  for (const [one, other] of [
    [viewer, followed],
    [follower, viewer],
    [viewer, friend],
    [friend, viewer],
  ])
    assert.equal((await as(one!, 'PUT', `/user/followings/${other!.id}`)).status, 204)
  assert.equal((await as(viewer!, 'POST', `/user/black/${blocked!.id}`)).status, 201)
  const others = ids([followed!, follower!, friend!, blocked!])
  const relations = async () => {
    const { body } = await as(viewer!, 'GET', `/users?id=${others.join(',')}`)
    return others.map((id) => {
      const { following, follower, blacked } = body.find((user: { id: number }) => user.id === id)
      return { following, follower, blacked }
    })
  }
  const none = { following: false, follower: false, blacked: false }
  const expected = [
    { ...none, follower: true },
    { ...none, following: true },
    { ...none, following: true, follower: true },
    { ...none, blacked: true },
  ]
  assert.deepEqual(await relations(), expected)
  await sql`update user_counts set followers_count = 501, followings_count = 501 where user_id = ${viewer!.id}`
  assert.deepEqual(await relations(), expected)
})
