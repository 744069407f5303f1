import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger, findBalance } from '#modules/ledger/index.ts'
import { updateSettings } from '#test/settings.ts'
import { createWorld, type Person } from '#test/world.ts'
import { checkinChecks, checkinCounters } from './service.ts'

const { as, guest, person, sql, ctx } = await createWorld()

const state = async (who: Person) => {
  const answer = await as(who, 'GET', '/user/checkin')
  assert.equal(answer.status, 200)
  return answer.body
}
const checkIn = (who: Person, path = '/user/checkin/currency', headers = {}) =>
  as(who, 'PUT', path, undefined, headers)

const dayLater = (who: Person, days = 1) =>
  sql`update checkin_logs set day = day - ${days}::int where user_id = ${who.id}`

async function set(values: Parameters<typeof updateSettings>[2]) {
  await updateSettings(ctx, sql, values)
}

async function assertSound() {
  for (const check of checkinCounters) assert.deepEqual(await check.find(sql), [], check.name)
  const { balanced, drift } = await auditLedger(sql, checkinChecks)
  assert.deepEqual([balanced, drift], [true, []])
}

test('counts check-in days in the time zone of the site (feeds-37)', async () => {
  const world = await createWorld()
  const founder = await world.person({ roles: ['founder', 'owner'] })
  const ann = await world.person()
  const zones = ['Pacific/Kiritimati', 'Etc/GMT+12']
  for (const zone of zones) {
    const changed = await world.as(founder, 'PATCH', '/admin/settings', { 'site:time-zone': zone })
    assert.equal(changed.status, 204)
    assert.equal((await world.as(ann, 'PUT', '/user/checkin')).status, 204)
    assert.equal((await world.as(ann, 'PUT', '/user/checkin')).status, 403)
    const logged = await world.sql`
      select from checkin_logs where user_id = ${ann.id} and day = (now() at time zone ${zone})::date`
    assert.equal(logged.length, 1, zone)
  }
  // The zones are 26 hours apart and never share a date.
  assert.equal((await world.as(ann, 'GET', '/user/checkin')).body.checkin_count, 2)
  const unknown = await world.as(founder, 'PATCH', '/admin/settings', { 'site:time-zone': 'Mars/Olympus' })
  assert.deepEqual([unknown.status, Object.keys(unknown.body.errors)], [422, ['site:time-zone']])
})

test('pays a check-in once a day (feeds-37)', async () => {
  const [ann, bob] = [await person(), await person()]
  assert.equal((await guest('PUT', '/user/checkin')).status, 401)
  assert.equal((await guest('GET', '/user/checkin')).status, 401)
  const before = await state(ann)
  assert.deepEqual(
    [before.checked_in, before.checkin_count, before.last_checkin_count, before.attach_balance],
    [false, 0, 0, 10],
  )
  assert.equal((await checkIn(ann)).status, 204)
  assert.equal((await checkIn(bob, '/user/checkin')).status, 204)
  for (const path of ['/user/checkin', '/user/checkin/currency'])
    for (const who of [ann, bob]) {
      const again = await checkIn(who, path)
      assert.deepEqual([again.status, again.headers['x-error-code']], [403, 'checked_in_already'])
    }
  assert.deepEqual(
    [await findBalance(sql, ann.id, 'points'), await findBalance(sql, ann.id, 'wallet')],
    [10, 0],
  )
  assert.deepEqual(
    [await findBalance(sql, bob.id, 'points'), await findBalance(sql, bob.id, 'wallet')],
    [0, 10],
  )
  const now = await state(ann)
  assert.deepEqual([now.checked_in, now.checkin_count, now.last_checkin_count], [true, 1, 1])
  assert.deepEqual(
    now.rank_users.map(({ id }: Person) => id),
    [ann.id, bob.id],
  )
  const [order] = (await as(ann, 'GET', '/currency/orders')).body
  assert.deepEqual([order.type, order.amount, order.title, order.state], [1, 10, 'Check-in', 1])
  await assertSound()
})

test('restarts the count of consecutive days after a missed day', async () => {
  const ann = await person()
  const counts = async () => {
    const { checkin_count, last_checkin_count } = await state(ann)
    return [checkin_count, last_checkin_count]
  }
  await checkIn(ann)
  await dayLater(ann)
  assert.equal((await state(ann)).checked_in, false)
  await checkIn(ann)
  assert.deepEqual(await counts(), [2, 2])
  await dayLater(ann, 2)
  await checkIn(ann)
  assert.deepEqual(await counts(), [3, 1])
  await assertSound()
})

test('pays one of several concurrent check-ins', async () => {
  const ann = await person()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => checkIn(ann, n % 2 ? '/user/checkin' : '/user/checkin/currency')),
  )
  assert.equal(answers.filter(({ status }) => status === 204).length, 1)
  assert.equal(answers.filter(({ status }) => status === 403).length, 11)
  const paid = (await findBalance(sql, ann.id, 'points')) + (await findBalance(sql, ann.id, 'wallet'))
  assert.equal(paid, 10)
  const bob = await person()
  const key = { 'idempotency-key': 'today' }
  assert.equal((await checkIn(bob, '/user/checkin', key)).status, 204)
  const again = await checkIn(bob, '/user/checkin', key)
  assert.deepEqual([again.status, again.headers['idempotency-replayed']], [204, 'true'])
  assert.equal((await state(bob)).checkin_count, 1)
  await assertSound()
})

test('ranks users by check-ins, with the older account first in a tie (feeds-38)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  for (let day = 0; day < 5; day += 1)
    for (const who of [cid, ann]) {
      await checkIn(who)
      await dayLater(who)
    }
  await as(cid, 'PUT', `/user/followings/${bob.id}`)
  const page = (await as(bob, 'GET', '/checkin-ranks?limit=2')).body
  assert.deepEqual(
    page.map(
      ({ id, follwing, following, extra }: Record<string, never> & { extra: Record<string, number> }) => [
        id,
        follwing,
        following,
        extra.rank,
        extra.checkin_count,
      ],
    ),
    [
      [ann.id, false, false, 1, 5],
      [cid.id, true, true, 2, 5],
    ],
  )
  const [second] = (await guest('GET', '/checkin-ranks?limit=1&offset=1')).body
  assert.deepEqual([second.id, 'rank' in second.extra], [cid.id, false])
})

test('detects in the ledger audit that a check-in was paid with a wrong amount', async () => {
  const ann = await person()
  await checkIn(ann)
  await sql`update checkin_logs set amount = 11 where user_id = ${ann.id}`
  const { drift } = await auditLedger(sql, checkinChecks)
  assert.deepEqual(
    drift.map(({ check, kept, counted }) => [check, kept, counted]),
    [['checkin_logs.paid', 11, 10]],
  )
  await sql`update checkin_logs set amount = 10 where user_id = ${ann.id}`
})

test('detects in the ledger audit that a check-in was paid in another currency or to another user', async () => {
  const [ann, bob, founder] = [await person(), await person(), await person({ roles: ['founder', 'owner'] })]
  await checkIn(ann)
  const [{ id } = { id: 0 }] = await sql<
    { id: number }[]
  >`select id from checkin_logs where user_id = ${ann.id}`
  const drift = async () => (await as(founder, 'GET', '/admin/ledger/audit')).body.drift
  assert.deepEqual(await drift(), [])
  await sql`update checkin_logs set currency = 'wallet' where id = ${id}`
  assert.deepEqual(await drift(), [
    { check: 'checkin_logs.paid', key: `${id} points`, kept: 0, counted: 10 },
    { check: 'checkin_logs.paid', key: `${id} wallet`, kept: 10, counted: 0 },
  ])
  await sql`update checkin_logs set currency = 'points', user_id = ${bob.id} where id = ${id}`
  const found: { kept: number; counted: number }[] = await drift()
  assert.deepEqual(
    found.map(({ kept, counted }) => [kept, counted]).sort(([one = 0], [other = 0]) => one - other),
    [
      [0, 10],
      [10, 0],
    ],
  )
  await sql`update checkin_logs set user_id = ${ann.id} where id = ${id}`
  assert.deepEqual(await drift(), [])
})

test('rejects check-ins when they are disabled or have no reward (feeds-36)', async () => {
  const ann = await person()
  await set({ 'checkin:balance': 0 })
  const unpaid = await checkIn(ann)
  assert.deepEqual([unpaid.status, unpaid.headers['x-error-code']], [403, 'checkin_without_reward'])
  await set({ 'checkin:balance': 10, 'checkin:switch': false })
  for (const answer of [
    await checkIn(ann),
    await checkIn(ann, '/user/checkin'),
    await as(ann, 'GET', '/user/checkin'),
    await guest('GET', '/checkin-ranks'),
    await guest('GET', '/checkin-ranks?limit=0'),
  ])
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [403, 'checkin_off'])
  await set({ 'checkin:switch': true })
  assert.equal((await checkIn(ann)).status, 204)
})
