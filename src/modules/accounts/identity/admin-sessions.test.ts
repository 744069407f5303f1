import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, outbox, work } = world
const founder = await person({ roles: ['founder'] })

const again = async ({ id, name }: Person, device = 'Phone'): Promise<Person> => {
  const { access_token: token } = await issueToken(sql, id, {
    device: { userAgent: device, network: '203.0.113.0/24' },
  })
  return { id, name, token }
}
const isIn = async (who: Person) => (await as(who, 'GET', '/user')).status === 200
const clerk = async (...abilities: string[]) => {
  const name = `clerk_${abilities.length}_${Math.floor(performance.now() * 1000)}`
  assert.equal((await as(founder, 'POST', '/admin/roles', { name, abilities })).status, 201)
  return person({ roles: [name] })
}
const toldOf = async (who: Person) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: { state: string } }) => data.state,
  )

test('lets an administrator end one session of a user (administration-22)', async () => {
  const ann = await person()
  const phone = await again(ann)
  const path = `/admin/users/${ann.id}/sessions`
  const { status, body } = await as(founder, 'GET', path)
  assert.equal(status, 200)
  assert.deepEqual(
    body.map(({ device, place, current }: Record<string, unknown>) => [device, place, current]),
    [
      ['Phone', '203.0.113.0/24', false],
      [null, null, false],
    ],
  )
  await sql`update users set email = 'ann@example.org', email_key = 'ann@example.org' where id = ${ann.id}`
  assert.equal((await as(founder, 'DELETE', `${path}/${body[0].id}`)).status, 204)
  assert.deepEqual([await isIn(phone), await isIn(ann)], [false, true])
  const repeated = await as(founder, 'DELETE', `${path}/${body[0].id}`)
  assert.deepEqual([repeated.status, repeated.headers['x-error-code']], [404, 'no_such_session'])
  assert.deepEqual(await toldOf(ann), ['sign-outs'])
  await work()
  assert.match(outbox.find(({ to }) => to === 'ann@example.org')?.text ?? '', /管理员.*administrator/)
  const log = await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${ann.id}`)
  assert.deepEqual(
    log.body.data.map(({ action, before }: Record<string, unknown>) => [action, before]),
    [['users.sign-out', { sessions: [{ device: 'Phone', place: '203.0.113.0/24' }] }]],
  )
})

test('notifies a user once when an administrator ends all of their sessions', async () => {
  const bob = await person()
  const others = [await again(bob), await again(bob, 'Desk')]
  for (let times = 0; times < 2; times += 1)
    assert.equal((await as(founder, 'DELETE', `/admin/users/${bob.id}/sessions`)).status, 204)
  for (const each of [bob, ...others]) assert.equal(await isIn(each), false)
  assert.deepEqual((await as(founder, 'GET', `/admin/users/${bob.id}/sessions`)).body, [])
  assert.deepEqual(await toldOf(await again(bob)), ['sign-outs'])
})

test('preserves the current session when administrators end all of their own sessions', async () => {
  const boss = await person({ roles: ['founder'] })
  const elsewhere = await again(boss)
  assert.equal((await as(boss, 'DELETE', `/admin/users/${boss.id}/sessions`)).status, 204)
  assert.deepEqual([await isIn(boss), await isIn(elsewhere)], [true, false])
})

test('forbids an administrator to list or end sessions of a user with more abilities', async () => {
  const ann = await person()
  const [manager, reader] = [await clerk('admin:user:update'), await clerk('admin:user:show')]
  const [own] = (await as(ann, 'GET', '/user/sessions')).body
  const paths = (id: number) => [`/admin/users/${id}/sessions`, `/admin/users/${id}/sessions/${own.id}`]
  for (const path of paths(ann.id)) {
    assert.equal((await as(reader, 'DELETE', path)).status, 403)
    assert.equal((await guest('DELETE', path)).status, 401)
  }
  assert.equal((await as(reader, 'GET', `/admin/users/${ann.id}/sessions`)).status, 403)
  for (const [method, path] of [
    ['GET', paths(founder.id)[0]],
    ['DELETE', paths(founder.id)[0]],
    ['DELETE', paths(founder.id)[1]],
  ] as const) {
    const { status, headers } = await as(manager, method, path as string)
    assert.deepEqual([status, headers['x-error-code']], [403, 'may_do_more'])
  }
  assert.equal((await as(manager, 'GET', paths(999_999)[0] as string)).status, 404)
  const other = await person()
  assert.equal((await as(manager, 'DELETE', `/admin/users/${other.id}/sessions/${own.id}`)).status, 404)
  assert.deepEqual([await isIn(ann), await isIn(founder)], [true, true])
})
