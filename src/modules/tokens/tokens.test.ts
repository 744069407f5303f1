import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { deleteSignIns, revokeFamilies } from './queries.ts'
import { issueToken } from './service.ts'

const { as, guest, person, sql, work } = await createWorld()

const hashOf = (token: string) => createHash('sha256').update(token).digest()
const refresh = (token: string) =>
  guest('POST', '/auth/refresh', undefined, { authorization: `Bearer ${token}` })
const isGood = async (token: string) => (await guest('GET', `/user?token=${token}`)).status === 200
const familyOf = (ann: Person) => sql<{ revoked: boolean }[]>`
  select revoked_at is not null as revoked from token_families where user_id = ${ann.id}`

test('exchanges a token in the header, query or body with any HTTP method (sign-in-5)', async () => {
  const ann = await person()
  let { token } = ann
  const steps = [
    () => guest('POST', '/auth/refresh', undefined, { authorization: `Bearer ${token}` }),
    () => guest('GET', `/auth/refresh?token=${token}`),
    () => guest('POST', '/auth/refresh', { token }),
    () => guest('PUT', '/auth/refresh', { token }),
    () => guest('PATCH', `/auth/refresh?token=${token}`, {}),
    () => guest('DELETE', '/auth/refresh', { token }),
  ]
  for (const step of steps) {
    const answer = await step()
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['access_token', 'token_type', 'expires_in', 'refresh_ttl'])
    assert.equal(await isGood(token), false)
    token = answer.body.access_token
    assert.equal(await isGood(token), true)
  }
})

test('rejects the exchange of a missing, unknown or malformed token', async () => {
  assert.equal((await guest('POST', '/auth/refresh')).status, 401)
  assert.equal((await guest('GET', '/auth/refresh')).status, 401)
  assert.equal((await refresh('x'.repeat(43))).status, 401)
  assert.equal((await guest('GET', '/auth/refresh', undefined, { authorization: 'Basic x' })).status, 401)
})

test('exchanges an expired token within fourteen days of its issue', async () => {
  const [ann, bob] = [await person(), await person()]
  await sql`update tokens set expires_at = now() - interval '1 second' where user_id in (${ann.id}, ${bob.id})`
  assert.equal(await isGood(ann.token), false)
  const answer = await refresh(ann.token)
  assert.equal(answer.status, 200)
  assert.equal(await isGood(answer.body.access_token), true)
  await sql`update tokens set refresh_until = now() where user_id = ${bob.id}`
  assert.equal((await refresh(bob.token)).status, 401)
  const [row] = await sql<[{ minutes: number }]>`
    select extract(epoch from refresh_until - issued_at)::int / 60 as minutes from tokens
    where hash = ${hashOf(answer.body.access_token)}`
  assert.equal(row.minutes, 14 * 24 * 60)
})

test('accepts tokens when the clock of the server jumps by two hours (sign-in-5)', async (t) => {
  const [known, unknown] = [await person(), await person()]
  assert.equal((await as(known, 'GET', '/user')).status, 200)
  for (const hours of [2, -2]) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 })
    for (const who of [known, unknown])
      assert.equal((await as(who, 'GET', '/user')).status, 200, `${hours} h`)
    const ann = await person()
    assert.equal((await as(ann, 'GET', '/user')).status, 200, `${hours} h`)
    t.mock.timers.reset()
    for (const who of [known, unknown, ann]) assert.equal((await as(who, 'GET', '/user')).status, 200)
  }
})

test('ends a session after 180 days despite token exchanges (sign-in-5)', async () => {
  const ann = await person()
  const age = (days: number) =>
    sql`update token_families set created_at = now() - make_interval(days => ${days}) where user_id = ${ann.id}`
  await age(179)
  const { status, body } = await refresh(ann.token)
  assert.equal(status, 200)
  await age(180)
  assert.equal((await refresh(body.access_token)).status, 401)
})

test('lets a client repeat an exchange within thirty seconds (sign-in-5)', async () => {
  const ann = await person()
  const [first, second] = [await refresh(ann.token), await refresh(ann.token)]
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.notEqual(first.body.access_token, second.body.access_token)
  assert.ok(await isGood(first.body.access_token))
  assert.ok(await isGood(second.body.access_token))
})

test('does not extend the thirty-second limit when a client repeats an exchange (sign-in-5)', async () => {
  const ann = await person()
  const age = (seconds: number) => sql`
    update tokens set exchanged_at = exchanged_at - make_interval(secs => ${seconds})
    where hash = ${hashOf(ann.token)}`
  assert.equal((await refresh(ann.token)).status, 200)
  await age(5)
  assert.equal((await refresh(ann.token)).status, 200)
  await age(26)
  assert.equal((await refresh(ann.token)).status, 401)
})

test('revokes the session when an exchanged token is reused after thirty seconds (sign-in-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  const first = await refresh(ann.token)
  assert.ok(await isGood(first.body.access_token))
  await sql`update tokens set exchanged_at = now() - interval '31 seconds' where hash = ${hashOf(ann.token)}`
  assert.equal((await refresh(ann.token)).status, 401)
  assert.equal(await isGood(first.body.access_token), false)
  assert.equal((await refresh(first.body.access_token)).status, 401)
  assert.deepEqual([...(await familyOf(ann))], [{ revoked: true }])
  assert.ok(await isGood(bob.token))
})

test('returns tokens of one session to concurrent exchanges', async () => {
  const ann = await person()
  const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(ann.token)))
  for (const answer of answers) {
    assert.equal(answer.status, 200)
    assert.ok(await isGood(answer.body.access_token))
  }
  assert.equal((await familyOf(ann)).length, 1)
})

test('rejects all concurrent reuses of exchanged tokens', async () => {
  const ann = await person()
  const tokens = [ann.token]
  for (let i = 0; i < 4; i += 1) tokens.push((await refresh(tokens.at(-1) as string)).body.access_token)
  await sql`update tokens set exchanged_at = exchanged_at - interval '1 minute' where user_id = ${ann.id}`
  const answers = await Promise.all(tokens.slice(0, 4).map(refresh))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 401],
  )
  assert.equal(await isGood(tokens.at(-1) as string), false)
})

test('leaves no valid token when a sign-out runs concurrently with an exchange', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ann = await person()
    const [exchanged] = await Promise.all([refresh(ann.token), as(ann, 'POST', '/auth/logout')])
    const [family] = await familyOf(ann)
    if (exchanged.status === 200 && family?.revoked)
      assert.equal(await isGood(exchanged.body.access_token), false)
  }
})

test('rejects an exchange that waited for a sign-out', async () => {
  const ann = await person()
  let exchanging: Promise<Answer> | undefined
  await transaction(sql, async (tx) => {
    await revokeFamilies(tx, [ann.id])
    exchanging = refresh(ann.token)
    await untilWaiting(sql)
  })
  assert.equal((await exchanging)?.status, 401)
})

test('omits ended sessions from the list of sessions (rights-4)', async () => {
  const [ann, bob] = [await person(), await person()]
  const family = async () => {
    const { access_token } = await issueToken(sql, ann.id)
    const [row] = await sql<[{ family: string }]>`
      select family from tokens where hash = ${hashOf(access_token)}`
    return row.family
  }
  const [ended, old, late] = [await family(), await family(), await family()]
  await sql`update token_families set revoked_at = now() - interval '1 day' where id = ${ended}`
  await sql`update token_families set created_at = now() - interval '180 days' where id = ${old}`
  await sql`update tokens set refresh_until = now() where family = ${late}`
  const listed = async (who: Person) => (await as(who, 'GET', '/user/sessions')).body.length
  assert.deepEqual([await listed(ann), await listed(bob)], [1, 1])
  await revokeFamilies(sql, [ann.id])
  const today = await sql`
    select id from token_families where user_id = ${ann.id} and revoked_at > now() - interval '1 hour'`
  assert.equal(today.length, 3)
  await deleteSignIns(sql, ann.id)
  assert.equal((await familyOf(ann)).length, 0)
  assert.equal((await refresh(bob.token)).status, 200)
})

test('stores only hashes of tokens', async () => {
  const ann = await person()
  const rows = await sql`select * from tokens where user_id = ${ann.id}`
  assert.equal(rows.length, 1)
  assert.ok(!JSON.stringify(rows).includes(ann.token))
  assert.deepEqual(rows[0]?.hash, hashOf(ann.token))
})

test('deletes tokens past the refresh window with their session', async () => {
  const [ann, bob] = [await person(), await person()]
  await sql`update tokens set refresh_until = now() - interval '2 days' where user_id = ${ann.id}`
  await sql`select graphile_worker.add_job('tidy_tokens')`
  await work()
  assert.equal((await familyOf(ann)).length, 0)
  assert.equal((await sql`select 1 from tokens where user_id = ${ann.id}`).length, 0)
  assert.ok(await isGood(bob.token))
})
