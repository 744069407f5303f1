import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, openDatabase, transaction } from '#platform/database.ts'
import { createWorld } from '#test/world.ts'
import { leaseAccounts } from './accounts/queries.ts'
import { reconcile } from './drift/service.ts'
import { hasEmbeddedPassword } from './providers/embedded/queries.ts'

const world = await createWorld()
const { as, person, sql, work, ctx, connection } = world
const founder = await person({ roles: ['founder', 'owner'] })

test('a new person gets an account in the background, with a password only they can read', async () => {
  const me = await person()
  await work()
  const [account] = await sql<{ confirmed: boolean; password: string }[]>`
    select synced_version = version as confirmed, password from im_accounts where user_id = ${me.id}`
  assert.equal(account?.confirmed, true)
  const answer = await as(me, 'GET', '/im/password')
  assert.equal(answer.status, 201)
  assert.ok(Array.isArray(answer.body.message))
  assert.ok(answer.body.im_pwd_hash.length >= 32)
  assert.ok(!account?.password.includes(answer.body.im_pwd_hash), 'it is sealed at rest')
  assert.ok(await hasEmbeddedPassword(sql, String(me.id), answer.body.im_pwd_hash))
})

test('a disabled person is locked out at the provider until enabled again (im-5)', async () => {
  const [me, other] = [await person(), await person()]
  await work()
  const { im_pwd_hash: password } = (await as(me, 'GET', '/im/password')).body
  const { im_pwd_hash: others } = (await as(other, 'GET', '/im/password')).body
  const disable = async (disabled: boolean) => {
    assert.equal((await as(founder, 'PATCH', `/admin/users/${me.id}`, { disabled })).status, 204)
    await work()
  }
  await disable(true)
  assert.equal(await hasEmbeddedPassword(sql, String(me.id), password), false)
  assert.equal(await hasEmbeddedPassword(sql, String(other.id), others), true)
  // One whose account the provider lost, or never had, is locked too.
  await sql`delete from im_embedded_accounts where name = ${String(me.id)}`
  await reconcile(ctx)
  assert.equal(await hasEmbeddedPassword(sql, String(me.id), password), false)
  await disable(false)
  assert.equal(await hasEmbeddedPassword(sql, String(me.id), password), true)
  await sql`update im_accounts set locked = true where user_id = ${me.id}`
  await sql`update im_embedded_accounts set locked = true where name = ${String(me.id)}`
  await reconcile(ctx)
  assert.equal(await hasEmbeddedPassword(sql, String(me.id), password), true)
})

test('the password of another person cannot be read or changed by naming them (im-4)', async () => {
  const [me, other] = [await person(), await person()]
  const theirs = (await as(other, 'GET', '/im/password')).body.im_pwd_hash
  const mine = (await as(me, 'GET', `/im/password?user_id=${other.id}`)).body.im_pwd_hash
  assert.notEqual(mine, theirs)
  assert.equal((await as(me, 'PUT', `/im/password?user_id=${other.id}`, { user_id: other.id })).status, 201)
  assert.equal((await as(other, 'GET', '/im/password')).body.im_pwd_hash, theirs)
  assert.notEqual((await as(me, 'GET', '/im/password')).body.im_pwd_hash, mine)
})

test('the registration of everybody needs an ability and runs in the background (im-3)', async () => {
  const me = await person()
  await sql`delete from im_accounts where user_id = ${me.id}`
  assert.equal((await as(me, 'POST', '/im/register-old-users')).status, 403)
  const [first, second] = await Promise.all([
    as(founder, 'POST', '/im/register-old-users'),
    as(founder, 'POST', '/im/register-old-users'),
  ])
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.ok(Array.isArray(first.body.message))
  await work()
  const runs = await sql<{ left: number; over: boolean }[]>`
    select total - done as left, finished_at is not null as over from im_registrations`
  assert.deepEqual([...runs], [{ left: 0, over: true }])
  const [account] = await sql`
    select from im_accounts where user_id = ${me.id} and synced_version = version`
  assert.ok(account)
})

test('an administrator sees the provider and how far a registration came', async () => {
  assert.equal((await as(await person(), 'GET', '/admin/im')).status, 403)
  await as(founder, 'POST', '/im/register-old-users')
  await work()
  const { status, body } = await as(founder, 'GET', '/admin/im')
  assert.equal(status, 200)
  assert.deepEqual(
    [body.provider, body.healthy, body.waiting_groups, body.unregistered],
    ['embedded', true, 0, 0],
  )
  assert.equal(body.registration.done, body.registration.total)
  assert.ok(body.registration.finished_at)
})

test('ten thousand people are registered in one go', async () => {
  await sql`
    insert into users (name, name_key) select 'many_' || n, 'many_' || n from generate_series(1, 10000) as n`
  assert.equal((await as(founder, 'POST', '/im/register-old-users')).status, 201)
  await work()
  const { body } = await as(founder, 'GET', '/admin/im')
  assert.ok(body.registration.total >= 10_000)
  assert.deepEqual([body.registration.done, body.unregistered], [body.registration.total, 0])
  const [held] = await sql<[{ n: number }]>`select count(*)::int as n from im_embedded_accounts`
  assert.ok(held.n >= 10_000)
})

test('passwords are random, not made of the sign-in password (im-4)', async () => {
  const [one, other] = [await person(), await person()]
  await sql`update users set password = null where id in ${sql([one.id, other.id])}`
  const passwords = []
  for (const who of [one, other, one]) passwords.push((await as(who, 'GET', '/im/password')).body.im_pwd_hash)
  assert.notEqual(passwords[0], passwords[1])
  assert.equal(passwords[0], passwords[2])
})

test('registering is for oneself or a manager, and again changes nothing (im-2, conventions-23)', async () => {
  const [me, other] = [await person(), await person()]
  for (let n = 0; n < 2; n += 1) {
    const answer = await as(me, 'POST', `/im/register/${me.id}`)
    assert.deepEqual([answer.status, answer.body], [201, []])
  }
  const before = (await as(me, 'GET', '/im/password')).body.im_pwd_hash
  assert.equal((await as(me, 'POST', `/easemob/register/${me.id}`)).status, 201)
  assert.equal((await as(me, 'GET', '/im/password')).body.im_pwd_hash, before)
  assert.equal((await as(me, 'POST', `/im/register/${other.id}`)).status, 403)
  assert.equal((await as(me, 'POST', '/im/register/999999999')).status, 404)
  assert.equal((await as(founder, 'POST', `/im/register/${other.id}`)).status, 201)
  assert.equal((await as(me, 'POST', '/im/register', { user_ids: `${other.id}` })).status, 403)
  const batch = await as(founder, 'POST', '/im/register', { user_ids: `${me.id},${other.id},999999999` })
  assert.deepEqual([batch.status, batch.body], [201, []])
  assert.equal((await as(founder, 'POST', '/im/register', {})).status, 422)
})

test('two jobs never speak to the provider about the same account: the second passes over what the first takes', async () => {
  const ids = (await Promise.all([1, 2, 3].map(() => person()))).map(({ id }) => id).sort((a, b) => a - b)
  await work()
  await sql`update im_accounts set version = version + 1, leased_until = null where user_id in ${sql(ids)}`
  // One that waited for the first would fail.
  const second = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 30_000 })
  const take = async (db: Db, some: number[]) =>
    (await leaseAccounts(db, some, 'test', 60)).map(({ user_id }) => user_id).sort((a, b) => a - b)
  await transaction(sql, async (tx) => {
    assert.deepEqual(await take(tx, ids.slice(0, 2)), ids.slice(0, 2))
    assert.deepEqual(await take(second, ids), ids.slice(2))
  })
  assert.deepEqual(await take(second, ids), [])
  await second.end()
})
