import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { erasureOf, PASSWORD } from '#test/fixtures/erasure.ts'
import { pinWorld } from '#test/fixtures/pins.ts'
import { refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const fixtures = await pinWorld()
const { world } = fixtures
const { as, guest, sql, work, outbox } = world
const { signUp, signIn, codeFor } = signUpsOn(world)
const under = settingsOn(world)
const { erase, owner, comeDue, gone, healthy } = await erasureOf(fixtures)

test('cancels the deletion of an account when its user signs in during the grace period (rights-1)', async () => {
  const ann = await signUp()
  const email = 'email' in ann ? String(ann.email) : ''
  assert.deepEqual(refusalOf(await erase(ann, {})), [422, 'proof_required'])
  assert.deepEqual(refusalOf(await erase(ann, { password: 'wrong' })), [422, 'wrong_password'])
  assert.deepEqual(refusalOf(await erase(ann, { verifiable_code: 1 })), [422, 'wrong_code'])
  const asked = await erase(ann, { verifiable_code: await codeFor(email) })
  assert.equal(asked.status, 202, JSON.stringify(asked.body))
  const [row] = await sql`select extract(day from due_at - asked_at)::int as days from account_deletions
    where user_id = ${ann.id}`
  assert.equal(row?.days, 14)
  await work()
  assert.match(outbox.findLast(({ to }) => to === email)?.text ?? '', /注销.*deleted/)
  assert.equal((await as(ann, 'GET', '/user')).status, 401)
  assert.equal((await guest('GET', `/users/${ann.name}`)).status, 200)
  assert.equal((await signIn(email, { password: PASSWORD })).status, 200)
  assert.equal((await sql`select from account_deletions where user_id = ${ann.id}`).length, 0)
  await comeDue(ann)
  await work()
  assert.equal((await signIn(email, { password: PASSWORD })).status, 200)
  assert.match(outbox.findLast(({ to, code }) => to === email && !code)?.text ?? '', /取消.*not be deleted/)
})

test('restores or erases an account completely when a sign-in races with the erasure (rights-1, rights-2)', async () => {
  const outcomes = new Set<boolean>()
  for (let round = 0; round < 6; round++) {
    const ann = await owner(10)
    assert.equal((await erase(ann)).status, 202)
    await comeDue(ann)
    const [signedIn] = await Promise.all([
      signIn(ann.name, { password: PASSWORD }),
      round % 2 ? work() : Promise.resolve(),
    ])
    await work()
    const kept = signedIn.status === 200
    outcomes.add(kept)
    const [row] = await sql`select erased_at is null as kept from users where id = ${ann.id}`
    assert.equal(row?.kept, kept)
    if (kept) {
      const me = await guest('GET', `/user?token=${signedIn.body.access_token}`)
      assert.deepEqual([me.status, me.body.currency.sum], [200, 10])
    } else assert.equal((await sql`select from tokens where user_id = ${ann.id}`).length, 0)
  }
  assert.ok(outcomes.has(true))
  await healthy()
})

test('keeps an account in its grace period when the job of a cancelled deletion runs (rights-1, rights-2)', async () => {
  const [ann, bob] = [await owner(), await signUp()]
  assert.equal((await erase(bob)).status, 202)
  await gone(ann)
  // Adds the job of an earlier, cancelled deletion. The job must not erase the account during its current
  // grace period.
  await addJob(sql, 'erase_account', { id: bob.id })
  await work()
  const states = await sql<{ user_id: number; finished: boolean; due: boolean }[]>`
    select user_id, finished_at is not null as finished, due_at <= now() as due from account_deletions
    where user_id in (${ann.id}, ${bob.id})`
  assert.deepEqual(
    Object.fromEntries(states.map(({ user_id: id, finished, due }) => [id, { finished, due }])),
    { [ann.id]: { finished: true, due: true }, [bob.id]: { finished: false, due: false } },
  )
  assert.equal((await guest('GET', `/users/${bob.name}`)).status, 200)
  assert.equal((await erase(bob)).status, 401)
  await comeDue(bob)
  await work()
  assert.deepEqual(refusalOf(await signIn(bob.name, { password: PASSWORD })), [422, 'wrong_sign_in'])
})

test('erases an account at once when the grace period is zero days (rights-1)', async () => {
  const ann = await owner(0)
  await under({ 'account:deletion-days': 0 }, async () => assert.equal((await erase(ann)).status, 202))
  await work()
  assert.equal((await guest('GET', `/users/${ann.id}`)).status, 404)
})

async function countErasures({ id }: Person): Promise<number> {
  const jobs = await sql`
    select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'erase_account' and j.payload ->> 'id' = ${String(id)}`
  return jobs.length
}

test('revokes all tokens at once when an account is deleted without a grace period (rights-1)', async () => {
  const ann = await owner(0)
  assert.equal((await as(ann, 'GET', '/user')).status, 200)
  await under({ 'account:deletion-days': 0 }, async () => assert.equal((await erase(ann)).status, 202))
  assert.equal((await as(ann, 'GET', '/user')).status, 401)
  const [row] = await sql`select due_at <= now() as due from account_deletions where user_id = ${ann.id}`
  assert.deepEqual([row?.due, await countErasures(ann)], [true, 1])
  await work()
  assert.deepEqual(refusalOf(await signIn(ann.name, { password: PASSWORD })), [422, 'wrong_sign_in'])
})

test('postpones the erasure when the grace period is one day (rights-1)', async () => {
  const ann = await owner(0)
  await under({ 'account:deletion-days': 1 }, async () => assert.equal((await erase(ann)).status, 202))
  assert.equal(await countErasures(ann), 0)
  const [row] = await sql`
    select extract(day from due_at - asked_at)::int as days from account_deletions where user_id = ${ann.id}`
  assert.equal(row?.days, 1)
  await work()
  assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 200)
})

test('rejects a cached token as soon as the deletion is acknowledged (rights-1)', async () => {
  const other = await createWorld()
  const ann = await other.person()
  assert.equal((await other.as(ann, 'GET', '/user')).status, 200)
  await other.ctx.signals.close()
  assert.equal((await other.as(ann, 'DELETE', '/user', { name: ann.name })).status, 202)
  assert.equal((await other.as(ann, 'GET', '/user')).status, 401)
})

test('keeps one founder when the last two founders delete their accounts (rights-1)', async () => {
  const other = await createWorld()
  const founders = [await other.person({ roles: ['founder'] }), await other.person({ roles: ['founder'] })]
  const [first, second] = founders as [Person, Person]
  const leave = (who: Person) => other.as(who, 'DELETE', '/user', { name: who.name })
  assert.deepEqual(refusalOf(await other.as(first, 'DELETE', '/user', {})), [422, 'proof_required'])
  assert.equal((await leave(first)).status, 202)
  assert.equal((await leave(second)).status, 202)
  await other.sql`update account_deletions set due_at = now()`
  for (const { id } of founders) await addJob(other.sql, 'erase_account', { id })
  await Promise.all([other.work(), other.work()])
  const left = await other.sql`select from users where erased_at is null and deleted_at is null`
  assert.equal(left.length, 1)
  const third = await createWorld()
  const only = await third.person({ roles: ['founder'] })
  assert.deepEqual(refusalOf(await third.as(only, 'DELETE', '/user', { name: only.name })), [
    422,
    'last_founder',
  ])
})
