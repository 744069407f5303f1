import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, openDatabase, transaction } from '#platform/database'
import { signUpsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { insertAccounts, leaseAccounts } from './accounts/queries.ts'
import { reconcile } from './drift.ts'
import { hasEmbeddedPassword } from './providers/embedded.ts'

const world = await createWorld()
const { as, guest, person, sql, work, ctx, connection } = world
const { codeFor, signIn, signUp } = signUpsOn(world)
const founder = await person({ roles: ['founder', 'owner'] })

test('creates a chat account with an encrypted password for a new user', async () => {
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

test('locks the chat account while its user is disabled (im-5)', async () => {
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

test('ignores the id of another user in a request for the chat password (im-4)', async () => {
  const [me, other] = [await person(), await person()]
  const theirs = (await as(other, 'GET', '/im/password')).body.im_pwd_hash
  const mine = (await as(me, 'GET', `/im/password?user_id=${other.id}`)).body.im_pwd_hash
  assert.notEqual(mine, theirs)
  assert.equal((await as(me, 'PUT', `/im/password?user_id=${other.id}`, { user_id: other.id })).status, 201)
  assert.equal((await as(other, 'GET', '/im/password')).body.im_pwd_hash, theirs)
  assert.notEqual((await as(me, 'GET', '/im/password')).body.im_pwd_hash, mine)
})

test('replaces the chat password when a session is revoked, but not on logout (im-4)', async () => {
  const me = await signUp()
  const email = String(me.email)
  await work()
  const read = async () => {
    const token = (await signIn(me.name, { password: held })).body.access_token
    return (await as({ ...me, token }, 'GET', '/im/password')).body.im_pwd_hash as string
  }
  let held = me.password
  let last = await read()
  const opened = async () => ({ ...me, token: (await signIn(me.name, { password: held })).body.access_token })
  const steps: Record<string, () => Promise<{ status: number }>> = {
    change: async () => {
      const body = { old_password: held, password: 'another one', password_confirmation: 'another one' }
      const answer = await as(await opened(), 'PUT', '/user/password', body)
      held = 'another one'
      return answer
    },
    reset: async () => {
      held = 'one by code'
      const verifiable_code = await codeFor(email)
      const body = { verifiable_type: 'mail', email, verifiable_code, password: held }
      return guest('PUT', '/user/retrieve-password', body)
    },
    'sign-out everywhere': async () => as(await opened(), 'DELETE', '/user/sessions'),
    'sign-out of one': async () => {
      const other = await opened()
      const { body } = await as(other, 'GET', '/user/sessions')
      const { id } = body.find(({ current }: { current: boolean }) => !current)
      return as(other, 'DELETE', `/user/sessions/${id}`)
    },
    administrator: () => as(founder, 'DELETE', `/admin/users/${me.id}/sessions`),
    'password by an administrator': () => {
      held = 'one by root'
      return as(founder, 'PATCH', `/admin/users/${me.id}`, { password: held })
    },
    'stolen token': async () => {
      const { token } = await opened()
      assert.equal((await guest('POST', '/auth/refresh', { token })).status, 200)
      await sql`update tokens set exchanged_at = now() - interval '1 minute' where exchanged_at is not null`
      assert.equal((await guest('POST', '/auth/refresh', { token })).status, 401)
      return { status: 204 }
    },
  }
  for (const [name, step] of Object.entries(steps)) {
    assert.equal((await step()).status, 204, name)
    await work()
    assert.equal(await hasEmbeddedPassword(sql, String(me.id), last), false, name)
    const now = await read()
    assert.notEqual(now, last, name)
    assert.ok(await hasEmbeddedPassword(sql, String(me.id), now), name)
    last = now
  }
  assert.equal((await as(await opened(), 'POST', '/auth/logout')).status, 200)
  await work()
  assert.equal(await read(), last)
})

test('creates no chat account for a user without one when sessions are revoked (im-4)', async () => {
  const me = await person()
  await work()
  await sql`delete from im_accounts where user_id = ${me.id}`
  assert.equal((await as(me, 'DELETE', '/user/sessions')).status, 204)
  await work()
  assert.equal((await sql`select from im_accounts where user_id = ${me.id}`).length, 0)
})

test('registers all users with the chat provider in the background (im-3)', async () => {
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

test('reports the state of the chat provider and the finished registration of all users', async () => {
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

test('registers ten thousand users with the chat provider after one request', async () => {
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

test('returns a distinct chat password for each user (im-4)', async () => {
  const [one, other] = [await person(), await person()]
  await sql`update users set password = null where id = any(${[one.id, other.id]})`
  const passwords = []
  for (const who of [one, other, one]) passwords.push((await as(who, 'GET', '/im/password')).body.im_pwd_hash)
  assert.notEqual(passwords[0], passwords[1])
  assert.equal(passwords[0], passwords[2])
})

test('accepts repeated registrations of a user with the chat provider (im-2, conventions-23)', async () => {
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

test('skips chat accounts that another job has leased', async () => {
  const ids = (await Promise.all([1, 2, 3].map(() => person()))).map(({ id }) => id).sort((a, b) => a - b)
  await work()
  await sql`update im_accounts set version = version + 1, leased_until = null where user_id = any(${ids})`
  // Without "skip locked", the second lease would wait for row locks and time out.
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

test('keeps the chat account that a concurrent transaction created first (im-2)', async () => {
  const me = await person()
  const password = ctx.secrets.seal('the first password')
  const { asked } = await transaction(sql, async (tx) => {
    await insertAccounts(tx, [{ user_id: me.id, password }])
    const asked = as(me, 'POST', `/im/register/${me.id}`)
    await Promise.race([untilWaiting(sql), asked])
    return { asked }
  })
  const { status, body } = await asked
  assert.deepEqual([status, body], [201, []])
  assert.equal((await as(me, 'GET', '/im/password')).body.im_pwd_hash, 'the first password')
})
