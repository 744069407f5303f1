import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const limited = await createWorld({ RATE_LIMIT_SENSITIVE: '3' })

const ids = (people: { id: number }[]) => people.map(({ id }) => id)
const disable = (who: Person) => sql`update users set deleted_at = now() where id = ${who.id}`
const list = async (path: string) => {
  const answer = await guest('GET', `/user/${path}`)
  assert.equal(answer.status, 200)
  return ids(answer.body)
}

test('ranks popular users by follower count, with the older account first in a tie (sign-in-17)', async () => {
  const [star, twin, gone, fan, other] = [
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
  ]
  for (const who of [fan, other])
    for (const whom of [star, twin, gone]) await as(who, 'PUT', `/user/followings/${whom.id}`)
  await disable(gone)
  assert.deepEqual(await list('populars?limit=2'), [star.id, twin.id])
  assert.deepEqual(await list('populars?limit=1&offset=1'), [twin.id])
  const [first] = (await as(fan, 'GET', '/user/populars?limit=1')).body
  assert.equal(first.follower, true)
  assert.equal(first.extra.followers_count, 2)
})

test('lists the newest enabled accounts first', async () => {
  const [ann, bob, gone] = [await person(), await person(), await person()]
  await disable(gone)
  assert.deepEqual(await list('latests?limit=2'), [bob.id, ann.id])
  assert.deepEqual(await list('latests?limit=1&offset=1'), [ann.id])
})

test('finds users by a part of the name, or recommended users without a keyword (sign-in-17)', async () => {
  const whole = await person({ name: '林一' })
  const [longer, gone] = [await person({ name: '林一二' }), await person({ name: '小林一' })]
  await disable(gone)
  assert.deepEqual(await list('search?keyword=林一'), [whole.id, longer.id])
  assert.deepEqual(await list('search?keyword=林&limit=1&offset=1'), [whole.id])
  assert.deepEqual(await list('search?keyword=%25'), [])
  await sql`update users set recommended_at = now() where id = any(${[longer.id, gone.id]})`
  for (const path of ['search', 'search?keyword=', 'search?keyword=%20', 'recommends'])
    assert.deepEqual(await list(path), [longer.id], path)
})

test('returns the phone number of each found user as written in the request', async () => {
  const [ann, bob, gone] = [await person(), await person(), await person()]
  const phones = ['13900000001', '13900000002', '13900000003']
  for (const [index, who] of [ann, bob, gone].entries())
    await sql`update users set phone = ${phones[index] as string} where id = ${who.id}`
  await disable(gone)
  const body = { phones: ['+86-13900000001', '13900000002', '13900000003', '13900000009', 'not a phone'] }
  const answer = await as(ann, 'POST', '/user/find-by-phone', body)
  assert.equal(answer.status, 200)
  assert.deepEqual(
    answer.body.map((user: { id: number; mobi: string }) => [user.id, user.mobi]),
    [
      [ann.id, '+86-13900000001'],
      [bob.id, '13900000002'],
    ],
  )
  assert.ok(!('phone' in answer.body[0]))
  const asText = await as(ann, 'POST', '/user/find-by-phone', { phones: '13900000002, 13900000004' })
  assert.deepEqual(ids(asText.body), [bob.id])
})

test('finds no user by phone who opted out, blocks the viewer or is blocked by the viewer (sign-in-17)', async () => {
  const [ann, hidden, blocker, blocked] = [await person(), await person(), await person(), await person()]
  const phones = ['13700000001', '13700000002', '13700000003']
  for (const [index, who] of [hidden, blocker, blocked].entries())
    await sql`update users set phone = ${phones[index] as string} where id = ${who.id}`
  const found = async () => ids((await as(ann, 'POST', '/user/find-by-phone', { phones })).body)
  assert.deepEqual(await found(), [hidden.id, blocker.id, blocked.id])
  assert.equal((await as(hidden, 'GET', '/user')).body.found_by_phone, true)
  assert.equal((await as(hidden, 'PATCH', '/user', { found_by_phone: false })).status, 204)
  assert.equal((await as(hidden, 'GET', '/user')).body.found_by_phone, false)
  assert.equal((await as(blocker, 'POST', `/user/black/${ann.id}`)).status, 201)
  assert.equal((await as(ann, 'POST', `/user/black/${blocked.id}`)).status, 201)
  assert.deepEqual(await found(), [])
  assert.equal((await as(hidden, 'PATCH', '/user', { found_by_phone: 1 })).status, 204)
  assert.deepEqual(await found(), [hidden.id])
})

test('enforces the limits of phone lookups (sign-in-17)', async () => {
  const ann = await person()
  assert.equal((await guest('POST', '/user/find-by-phone', { phones: ['13900000001'] })).status, 401)
  for (const phones of [undefined, [], '', Array(101).fill('13900000001'), [{}]])
    assert.equal((await as(ann, 'POST', '/user/find-by-phone', { phones })).status, 422, String(phones))
  const eve = await limited.person()
  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1)
    statuses.push((await limited.as(eve, 'POST', '/user/find-by-phone', { phones: ['13900000001'] })).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
})
