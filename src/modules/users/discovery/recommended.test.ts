import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const founder = await person({ roles: ['founder'] })

const ids = (people: { id: number }[]) => people.map(({ id }) => id)

test('lists recommended users with the newest recommendation first (administration-9)', async () => {
  const [ann, bob, gone] = [await person(), await person({ name: '推荐者' }), await person()]
  for (const who of [ann, bob, gone]) {
    assert.equal((await as(founder, 'PUT', `/admin/user-recommends/${who.id}`)).status, 204)
    assert.equal((await as(founder, 'PUT', `/admin/user-recommends/${who.id}`)).status, 204)
  }
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  assert.deepEqual(ids((await guest('GET', '/user/recommends')).body), [bob.id, ann.id])
  const listed = (await as(founder, 'GET', '/admin/user-recommends')).body
  assert.equal(listed.total, 2)
  assert.deepEqual(ids(listed.data.map(({ user }: { user: { id: number } }) => user)), [bob.id, ann.id])
  const found = (await as(founder, 'GET', '/admin/user-recommends?q=推荐&sort=id&order=asc')).body
  assert.deepEqual([found.total, found.data[0].user.id], [1, bob.id])

  for (let i = 0; i < 2; i += 1)
    assert.equal((await as(founder, 'DELETE', `/admin/user-recommends/${bob.id}`)).status, 204)
  assert.deepEqual(ids((await guest('GET', '/user/recommends')).body), [ann.id])
  const log = (await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${bob.id}&order=asc`))
    .body
  assert.deepEqual(
    log.data.map(({ action }: { action: string }) => action),
    ['users.recommend', 'users.unrecommend'],
  )
  assert.equal((await as(founder, 'PUT', `/admin/user-recommends/${gone.id}`)).status, 404)
})

test('rejects a change of a recommendation when its user is unknown or the caller lacks the ability', async () => {
  const member = await person()
  for (const method of ['PUT', 'DELETE'] as const) {
    assert.equal((await as(founder, method, `/admin/user-recommends/${2 ** 40}`)).status, 404)
    assert.equal((await as(member, method, `/admin/user-recommends/${member.id}`)).status, 403)
  }
})
