import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const founder = await person({ roles: ['founder', 'owner'] })
const password = 'correct horse battery'
let serial = 0
const freshName = () => {
  serial += 1
  return `made${serial}`
}

test('creates an account without revealing its password (administration-6)', async () => {
  const name = freshName()
  const made = await as(founder, 'POST', '/admin/users', { name, password, email: `${name}@example.org` })
  assert.equal(made.status, 201)
  assert.equal((await guest('POST', '/auth/login', { login: name, password })).status, 200)
  const listed = await as(founder, 'GET', `/admin/users?q=${name}`)
  assert.equal(listed.body.total, 1)
  const [user] = listed.body.data
  assert.equal(user.id, made.body.id)
  assert.equal(user.has_password, true)
  assert.deepEqual(user.roles, ['owner'])
  assert.equal(user.password, undefined)
  assert.equal(JSON.stringify(listed.body).includes('argon2'), false)
})

test('rejects sessions and sign-ins of a disabled account', async () => {
  const name = freshName()
  const { body } = await as(founder, 'POST', '/admin/users', { name, password })
  const login = await guest('POST', '/auth/login', { login: name, password })
  const user = { id: body.id, name, token: login.body.access_token }
  assert.equal((await as(user, 'GET', '/user')).status, 200)
  assert.equal((await as(founder, 'PATCH', `/admin/users/${body.id}`, { disabled: true })).status, 204)
  assert.equal((await as(user, 'GET', '/user')).status, 401)
  assert.equal((await guest('POST', '/auth/login', { login: name, password })).status, 403)
  assert.equal((await as(founder, 'PATCH', `/admin/users/${body.id}`, { disabled: 0 })).status, 204)
  assert.equal((await guest('POST', '/auth/login', { login: name, password })).status, 200)
  assert.equal((await as(founder, 'DELETE', `/admin/users/${body.id}`)).status, 204)
  assert.equal((await guest('POST', '/auth/login', { login: name, password })).status, 403)
})

test('ends the session of a user when an administrator changes the password of the account', async () => {
  const name = freshName()
  const { body } = await as(founder, 'POST', '/admin/users', { name, password })
  const login = await guest('POST', '/auth/login', { login: name, password })
  const user = { id: body.id, name, token: login.body.access_token }
  await as(founder, 'PATCH', `/admin/users/${body.id}`, { password: 'another password' })
  assert.equal((await as(user, 'GET', '/user')).status, 401)
  assert.equal((await guest('POST', '/auth/login', { login: name, password })).status, 422)
  assert.equal(
    (await guest('POST', '/auth/login', { login: name, password: 'another password' })).status,
    200,
  )
})

test('forbids administrators to grant or acquire abilities that they lack (administration-5)', async () => {
  await as(founder, 'POST', '/admin/roles', {
    name: 'staff',
    abilities: ['admin:user:show', 'admin:user:update', 'admin:user:add'],
  })
  await as(founder, 'POST', '/admin/roles', {
    name: 'promoter',
    abilities: ['admin:user:update', 'admin:user:add', 'admin:role:update'],
  })
  const staff = await person({ roles: ['staff', 'owner'] })
  const promoter = await person({ roles: ['promoter', 'owner'] })
  const member = await person()

  const takeOver = await as(staff, 'PATCH', `/admin/users/${founder.id}`, { password: 'mine now, thanks' })
  assert.equal(takeOver.status, 403)
  assert.equal((await as(staff, 'PATCH', `/admin/users/${member.id}`, { roles: ['founder'] })).status, 403)
  assert.equal(
    (await as(promoter, 'PATCH', `/admin/users/${promoter.id}`, { roles: ['founder'] })).status,
    403,
  )
  assert.equal(
    (await as(promoter, 'POST', '/admin/users', { name: freshName(), password, roles: ['founder'] })).status,
    403,
  )
  assert.equal(
    (await as(promoter, 'PATCH', `/admin/users/${member.id}`, { roles: ['promoter'] })).status,
    204,
  )
  const roles = await as(founder, 'GET', '/admin/roles?q=promoter')
  const widened = await as(promoter, 'PATCH', `/admin/roles/${roles.body.data[0].id}`, {
    abilities: ['admin:role:update', 'admin: ledger'],
  })
  assert.equal(widened.status, 403)
})

test('lets an administrator manage members without holding the abilities of members', async () => {
  const abilities = ['admin: login', 'admin:user:update', 'admin:role:update']
  assert.equal((await as(founder, 'POST', '/admin/roles', { name: 'desk', abilities })).status, 201)
  const desk = await person({ roles: ['desk'] })
  const member = await person()
  const url = `/admin/users/${member.id}`
  assert.equal((await as(desk, 'PATCH', url, { disabled: true })).status, 204)
  assert.equal((await as(desk, 'PATCH', url, { disabled: false, roles: [] })).status, 204)
  assert.equal((await as(desk, 'PATCH', url, { roles: ['owner'] })).status, 204)
})

test('rejects a change that would leave the site without an enabled founder (administration-6)', async () => {
  // A disabled founder does not count as a replacement of the last founder.
  const other = await person({ roles: ['founder'] })
  assert.equal((await as(founder, 'PATCH', `/admin/users/${other.id}`, { disabled: true })).status, 204)
  assert.equal((await as(founder, 'PATCH', `/admin/users/${founder.id}`, { disabled: true })).status, 422)
  assert.equal((await as(founder, 'PATCH', `/admin/users/${founder.id}`, { roles: ['owner'] })).status, 422)
})

test('names the invalid field when the creation of an account fails', async () => {
  const name = freshName()
  const email = `${name}@example.org`
  assert.equal((await as(founder, 'POST', '/admin/users', { name, password, email })).status, 201)
  const field = async (body: object) => {
    const answer = await as(founder, 'POST', '/admin/users', { name: freshName(), password, ...body })
    assert.equal(answer.status, 422)
    return Object.keys(answer.body.errors)
  }
  assert.deepEqual(await field({ name: name.toUpperCase() }), ['name'])
  assert.deepEqual(await field({ email: email.toUpperCase() }), ['email'])
  assert.deepEqual(await field({ email: 'nowhere' }), ['email'])
  assert.deepEqual(await field({ phone: '123' }), ['phone'])
  assert.deepEqual(await field({ password: 'short' }), ['password'])
  assert.deepEqual(await field({ roles: ['nobody'] }), ['roles'])
  assert.equal((await as(founder, 'GET', '/admin/users/999999999')).status, 404)
  assert.equal((await as(founder, 'PATCH', '/admin/users/999999999', { name: 5 })).status, 404)
  assert.equal((await as(founder, 'DELETE', '/admin/users/999999999')).status, 404)
})

test('omits the password from the audit log (administration-4)', async () => {
  const name = freshName()
  const { body } = await as(founder, 'POST', '/admin/users', { name, password })
  await as(founder, 'PATCH', `/admin/users/${body.id}`, {
    password: 'a third password',
    verified: { type: 'user', description: 'Known in person' },
  })
  const log = await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${body.id}`)
  assert.deepEqual(
    log.body.data.map((entry: { action: string }) => entry.action),
    ['users.update', 'users.create'],
  )
  assert.equal(JSON.stringify(log.body).includes('third password'), false)
  const shown = await as(founder, 'GET', `/admin/users/${body.id}`)
  assert.deepEqual(shown.body.verified, { type: 'user', icon: null, description: 'Known in person' })
})

test('accepts only one of two concurrent requests that together would remove the last two founders', async () => {
  const other = await person({ roles: ['founder', 'owner'] })
  const { leaving } = await sql.begin(async (tx) => {
    await tx`select from roles where name = 'founder' for update`
    const leaving = [founder, other].map((who) =>
      as(who, 'PATCH', `/admin/users/${who.id}`, { roles: ['owner'] }),
    )
    await untilWaiting(sql, 2)
    return { leaving }
  })
  const statuses = (await Promise.all(leaving)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [204, 422])
})
