import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Tx, transaction } from '#platform/database'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { updateRole } from '../roles/queries.ts'
import { updateAbility } from './routes.ts'

const { as, person, sql } = await createWorld()
const founder = await person({ roles: ['founder'] })

test('applies a changed role to its holders at once (administration-7)', async () => {
  const made = await as(founder, 'POST', '/admin/roles', {
    name: 'librarian',
    display_name: '图书管理员',
    abilities: ['admin: audit log'],
  })
  assert.equal(made.status, 201)
  const librarian = await person({ roles: ['librarian'] })
  assert.equal((await as(librarian, 'GET', '/admin/audit-log')).status, 200)
  assert.equal((await as(founder, 'PATCH', `/admin/roles/${made.body.id}`, { abilities: [] })).status, 204)
  assert.equal((await as(librarian, 'GET', '/admin/audit-log')).status, 403)
  const shown = await as(founder, 'GET', `/admin/roles/${made.body.id}`)
  assert.equal(shown.body.display_name, '图书管理员')
  assert.deepEqual(shown.body.abilities, [])
})

test('creates one role from concurrent requests with the same name', async () => {
  const answers = await Promise.all(
    [1, 2, 3].map(() => as(founder, 'POST', '/admin/roles', { name: 'twin' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
})

test('rejects invalid changes of roles', async () => {
  const unknown = await as(founder, 'POST', '/admin/roles', { name: 'odd', abilities: ['fly'] })
  assert.equal(unknown.status, 422)
  assert.ok(unknown.body.errors.abilities)
  assert.equal((await as(founder, 'GET', '/admin/roles/999999')).status, 404)
  assert.equal((await as(founder, 'PATCH', '/admin/roles/999999', { name: 'x' })).status, 404)
  assert.equal((await as(founder, 'DELETE', '/admin/roles/999999')).status, 404)
  const roles = await as(founder, 'GET', '/admin/roles?q=founder&sort=name&order=asc')
  assert.equal(roles.body.total, 1)
  assert.equal((await as(founder, 'DELETE', `/admin/roles/${roles.body.data[0].id}`)).status, 403)
})

test('revokes the abilities of a deleted role from its holders', async () => {
  const made = await as(founder, 'POST', '/admin/roles', { name: 'brief', abilities: ['admin:role:show'] })
  const holder = await person({ roles: ['brief'] })
  assert.equal((await as(holder, 'GET', '/admin/roles')).status, 200)
  assert.equal((await as(founder, 'DELETE', `/admin/roles/${made.body.id}`)).status, 204)
  assert.equal((await as(holder, 'GET', '/admin/roles')).status, 403)
})

test('changes the display name of an ability', async () => {
  const listed = await as(founder, 'GET', '/admin/abilities?q=feed-post')
  assert.equal(listed.body.total, 1)
  assert.equal(listed.body.data[0].name, 'feed-post')
  assert.equal((await as(founder, 'GET', '/admin/abilities?limit=2&page=2')).body.data.length, 2)
  assert.equal(
    (await as(founder, 'PATCH', '/admin/abilities/feed-post', { display_name: 'Post' })).status,
    204,
  )
  const again = await as(founder, 'GET', '/admin/abilities?q=feed-post')
  assert.equal(again.body.data[0].display_name, 'Post')
  assert.equal((await as(founder, 'PATCH', '/admin/abilities/nothing', { display_name: 'x' })).status, 404)
})

test('forbids administrators to delete a role with abilities that they lack, or to remove these from it (administration-5)', async () => {
  const abilities = ['admin: login', 'admin:role:show', 'admin:role:update', 'admin: Deleting role']
  assert.equal((await as(founder, 'POST', '/admin/roles', { name: 'clerk', abilities })).status, 201)
  const clerk = await person({ roles: ['clerk'] })
  const idOf = async (name: string): Promise<number> => {
    const { body } = await as(founder, 'GET', `/admin/roles?q=${name}`)
    return body.data[0].id
  }
  const above = { name: 'auditor', abilities: ['admin: audit log'] }
  assert.equal((await as(founder, 'POST', '/admin/roles', above)).status, 201)
  const auditor = await idOf('auditor')
  assert.equal((await as(clerk, 'PATCH', `/admin/roles/${auditor}`, { abilities: [] })).status, 403)
  assert.equal((await as(clerk, 'DELETE', `/admin/roles/${auditor}`)).status, 403)
  const top = await idOf('founder')
  for (const change of [{ abilities: [] }, { name: 'somebody' }])
    assert.equal((await as(founder, 'PATCH', `/admin/roles/${top}`, change)).status, 403)
  assert.equal((await as(founder, 'PATCH', `/admin/roles/${top}`, { description: 'All' })).status, 204)
  assert.equal((await as(founder, 'GET', '/admin/audit-log')).status, 200)
  assert.equal((await as(founder, 'PATCH', `/admin/roles/${await idOf('owner')}`, { name: 'x' })).status, 403)
})

test('rejects renaming, deletion and admin access of the default role (administration-7)', async () => {
  const made = await as(founder, 'POST', '/admin/roles', { name: 'fresh', abilities: ['feed-post'] })
  const url = `/admin/roles/${made.body.id}`
  const choose = (role: string) => as(founder, 'PATCH', '/admin/settings', { 'register:role': role })
  assert.equal((await choose('fresh')).status, 204)
  const opened = await as(founder, 'PATCH', url, { abilities: ['feed-post', 'admin: login'] })
  assert.deepEqual(Object.keys(opened.body.errors), ['abilities'])
  for (const answer of [await as(founder, 'PATCH', url, { name: 'stale' }), await as(founder, 'DELETE', url)])
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'role_of_newcomers'])
  assert.equal((await as(founder, 'PATCH', url, { name: 'fresh', abilities: [] })).status, 204)
  assert.equal((await choose('owner')).status, 204)
  assert.equal((await as(founder, 'DELETE', url)).status, 204)
})

test('replaces only the roles of the given user', async () => {
  const [ann, bob] = [await person(), await person({ roles: ['developer'] })]
  const rolesOf = async (id: number) => (await as(founder, 'GET', `/admin/users/${id}`)).body.roles
  assert.equal((await as(founder, 'PATCH', `/admin/users/${ann.id}`, { roles: ['disabler'] })).status, 204)
  assert.deepEqual([await rolesOf(ann.id), await rolesOf(bob.id)], [['disabler'], ['developer']])
})

async function during(work: (tx: Tx) => Promise<unknown>, ask: () => Promise<Answer>): Promise<Answer> {
  const { asked } = await transaction(sql, async (tx) => {
    await work(tx)
    const asked = ask()
    await Promise.race([untilWaiting(sql), asked])
    return { asked }
  })
  return asked
}

test('checks and audits a change against concurrently committed data (administration-4, administration-5)', async () => {
  const abilities = ['admin:role:show', 'admin:role:update']
  assert.equal((await as(founder, 'POST', '/admin/roles', { name: 'porter', abilities })).status, 201)
  const porter = await person({ roles: ['porter'] })
  const role = { name: 'watcher', abilities: ['admin: audit log'] }
  const { id } = (await as(founder, 'POST', '/admin/roles', role)).body
  const given = await during(
    (tx) => updateRole(tx, id, { abilities: [] }),
    () => as(porter, 'PATCH', `/admin/roles/${id}`, { abilities: role.abilities }),
  )
  assert.equal(given.status, 403)
  assert.deepEqual((await as(founder, 'GET', `/admin/roles/${id}`)).body.abilities, [])

  const called = await during(
    (tx) => updateAbility(tx, 'feed-post', { display_name: 'First' }),
    () => as(founder, 'PATCH', '/admin/abilities/feed-post', { display_name: 'Second' }),
  )
  assert.equal(called.status, 204)
  const [entry] = (await as(founder, 'GET', '/admin/audit-log?subject_type=abilities')).body.data
  assert.deepEqual([entry.before.display_name, entry.after.display_name], ['First', 'Second'])
})

test('ignores repeated abilities and roles in a request', async () => {
  const made = await as(founder, 'POST', '/admin/roles', {
    name: 'repeater',
    abilities: ['feed-post', 'feed-post'],
  })
  assert.equal(made.status, 201)
  const url = `/admin/roles/${made.body.id}`
  const abilities = async () => (await as(founder, 'GET', url)).body.abilities
  assert.deepEqual(await abilities(), ['feed-post'])
  const more = ['admin: audit log', 'feed-post', 'admin: audit log']
  assert.equal((await as(founder, 'PATCH', url, { abilities: more })).status, 204)
  assert.deepEqual((await abilities()).toSorted(), ['admin: audit log', 'feed-post'])
  const holder = await person({ roles: ['repeater'] })
  const user = `/admin/users/${holder.id}`
  for (const roles of [
    ['repeater', 'repeater'],
    ['repeater', 'developer', 'repeater'],
  ]) {
    assert.equal((await as(founder, 'PATCH', user, { roles })).status, 204)
    assert.deepEqual((await as(founder, 'GET', user)).body.roles.toSorted(), [...new Set(roles)].toSorted())
  }
})
