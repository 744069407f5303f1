import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { startOAuthProvider } from '#test/fixtures/outside-providers.ts'
import { fieldError, refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const oauth = await startOAuthProvider()
const world = await createWorld({
  LINKED_PROVIDERS: 'open_forge',
  ...oauth.settings('OPEN_FORGE'),
  LINKED_OPEN_FORGE_ACCEPT_TOKENS: 'true',
})
const { guest, as, sql, person, outbox, work } = world
const { signUp, signIn, codeFor } = signUpsOn(world)
const under = settingsOn(world)
const PASSWORD = 'correct horse'

/** Code of an authenticator app, `steps` periods of 30 seconds from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
const wrong = (secret: string) => String((Number(codeOf(secret)) + 500_000) % 1_000_000).padStart(6, '0')
/** Resets the last used time step, so that a test can use two codes within 30 seconds. */
const resetLastStep = (who: Person) => sql`update second_factors set last_step = 0 where user_id = ${who.id}`

async function guarded() {
  const ann = await signUp()
  const prepared = await as(ann, 'POST', '/user/second-factor', { password: PASSWORD })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const { secret, uri } = prepared.body
  const on = await as(ann, 'PUT', '/user/second-factor', { second_factor: codeOf(secret) })
  assert.equal(on.status, 200, JSON.stringify(on.body))
  await resetLastStep(ann)
  return {
    ...ann,
    secret: secret as string,
    uri: uri as string,
    recovery: on.body.recovery_codes as string[],
  }
}

test('enables a second factor after proof of ownership and a code (rights-6)', async () => {
  const ann = await signUp()
  const prepare = (body: object) => as(ann, 'POST', '/user/second-factor', body)
  assert.deepEqual(refusalOf(await prepare({})), [422, 'proof_required'])
  assert.deepEqual(refusalOf(await prepare({ password: 'wrong' })), [422, 'wrong_password'])
  assert.deepEqual(refusalOf(await as(ann, 'PUT', '/user/second-factor', { second_factor: '123456' })), [
    422,
    'second_factor_off',
  ])
  const { secret, uri } = (await prepare({ password: PASSWORD })).body
  assert.match(uri, new RegExp(`^otpauth://totp/Kith:${ann.name}\\?.*secret=${secret}`))
  const [kept] = await sql`select secret from second_factors where user_id = ${ann.id}`
  assert.ok(!String(kept?.secret).includes(secret))
  assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 200)
  fieldError(await as(ann, 'PUT', '/user/second-factor', { second_factor: wrong(secret) }), 'second_factor')
  const on = await as(ann, 'PUT', '/user/second-factor', { second_factor: codeOf(secret) })
  assert.equal(new Set(on.body.recovery_codes).size, 10)
  assert.deepEqual((await as(ann, 'GET', '/user/second-factor')).body, { enabled: true, recovery_codes: 10 })
  assert.deepEqual(refusalOf(await prepare({ password: PASSWORD })), [422, 'second_factor_on'])
  // A rejected request to enable the second factor must not consume a recovery code.
  const again = await as(ann, 'PUT', '/user/second-factor', { second_factor: on.body.recovery_codes[0] })
  assert.deepEqual(refusalOf(again), [422, 'second_factor_on'])
  assert.equal((await as(ann, 'GET', '/user/second-factor')).body.recovery_codes, 10)
  const plain = await sql<{ hash: string }[]>`select hash from recovery_codes where user_id = ${ann.id}`
  assert.ok(!plain.some(({ hash }) => on.body.recovery_codes.includes(hash)))
  await work()
  assert.ok(outbox.some(({ to, text }) => 'email' in ann && to === ann.email && /已开启两步验证/.test(text)))
})

test('rejects a sign-in without a valid second factor (rights-7)', async () => {
  const ann = await guarded()
  const enter = (second_factor?: string, password = PASSWORD) =>
    signIn(ann.name, { password, ...(second_factor === undefined ? {} : { second_factor }) })
  const asked = await enter()
  assert.deepEqual(refusalOf(asked), [422, 'second_factor_required'])
  fieldError(asked, 'second_factor')
  assert.deepEqual(refusalOf(await enter(codeOf(ann.secret), 'wrong')), [422, 'wrong_sign_in'])
  assert.deepEqual(refusalOf(await enter(wrong(ann.secret))), [422, 'wrong_second_factor'])
  for (const steps of [-3, 3])
    assert.deepEqual(refusalOf(await enter(codeOf(ann.secret, steps))), [422, 'wrong_second_factor'])
  const code = codeOf(ann.secret)
  assert.equal((await enter(code)).status, 200)
  assert.deepEqual(refusalOf(await enter(code)), [422, 'wrong_second_factor'])
  await resetLastStep(ann)
  const raced = codeOf(ann.secret)
  const answers = await Promise.all(Array.from({ length: 5 }, () => enter(raced)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422, 422])
})

test('does not consume a sign-in code until the second factor is valid (rights-7)', async () => {
  const ann = await guarded()
  const email = 'email' in ann ? String(ann.email) : ''
  const verifiable_code = await codeFor(email)
  // The response to a wrong code must not reveal that a second factor exists.
  const guess = Number(verifiable_code) === 111_111 ? 222_222 : 111_111
  assert.equal((await signIn(email, { verifiable_code: guess })).headers['x-error-code'], 'wrong_code')
  assert.deepEqual(refusalOf(await signIn(email, { verifiable_code })), [422, 'second_factor_required'])
  assert.equal((await signIn(email, { verifiable_code, second_factor: codeOf(ann.secret) })).status, 200)
})

test('accepts a second factor while the clock of the server is wrong (rights-7)', async (t) => {
  const ann = await guarded()
  const code = codeOf(ann.secret)
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 3_600_000)
  const entered = await signIn(ann.name, { password: PASSWORD, second_factor: code })
  assert.equal(entered.status, 200)
})

test('accepts a recovery code only once (rights-6)', async () => {
  const ann = await guarded()
  const [first = '', second = ''] = ann.recovery
  const enter = (second_factor: string) => signIn(ann.name, { password: PASSWORD, second_factor })
  assert.equal((await enter(first.toUpperCase().replace('-', ' '))).status, 200)
  assert.equal((await enter(first)).status, 422)
  const answers = await Promise.all(Array.from({ length: 5 }, () => enter(second)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422, 422])
  assert.equal((await as(ann, 'GET', '/user/second-factor')).body.recovery_codes, 8)
  const renewed = await as(ann, 'POST', '/user/second-factor/recovery-codes', {
    second_factor: codeOf(ann.secret),
  })
  assert.equal(renewed.status, 201)
  assert.equal((await enter(String(ann.recovery[2]))).status, 422)
  assert.equal((await enter(renewed.body.recovery_codes[0])).status, 200)
})

test('rejects even a correct second factor after ten wrong codes within an hour (rights-7)', async () => {
  const ann = await guarded()
  const enter = (second_factor: string) => signIn(ann.name, { password: PASSWORD, second_factor })
  const answers = await Promise.all(Array.from({ length: 14 }, () => enter(wrong(ann.secret))))
  assert.equal(answers.filter(({ status }) => status === 422).length, 10)
  assert.equal(answers.filter(({ status }) => status === 429).length, 4)
  assert.equal((await enter(codeOf(ann.secret))).status, 429)
  await sql`update second_factors set failures_since = now() - interval '61 minutes' where user_id = ${ann.id}`
  assert.equal((await enter(codeOf(ann.secret))).status, 200)
})

test('ends the hour of wrong codes when the clock of the database was ahead (rights-7)', async () => {
  const ann = await guarded()
  await sql`
    update second_factors set failures = 10, failures_since = now() + interval '2 days' where user_id = ${ann.id}`
  const answer = await signIn(ann.name, { password: PASSWORD, second_factor: codeOf(ann.secret) })
  assert.equal(answer.status, 200)
})

test('requires the second factor for sign-in by an external account (rights-7)', async () => {
  const FORGE = '/socialite/open_forge'
  const ann = await guarded()
  const access_token = 'token-77'
  const link = { access_token, login: ann.name, password: PASSWORD }
  assert.deepEqual(refusalOf(await guest('PUT', FORGE, link)), [422, 'second_factor_required'])
  assert.equal((await guest('PUT', FORGE, { ...link, second_factor: codeOf(ann.secret) })).status, 201)
  assert.deepEqual(refusalOf(await guest('POST', FORGE, { access_token })), [422, 'second_factor_required'])
  await resetLastStep(ann)
  assert.equal((await guest('POST', FORGE, { access_token, second_factor: codeOf(ann.secret) })).status, 201)
})

test('requires the second factor for an appeal by a suspended user (sign-in-28)', async () => {
  const ann = await guarded()
  await sql`
    insert into sanctions (user_id, kind, reason, imposed_by) values (${ann.id}, 'suspension', 'Threats', ${ann.id})`
  const appeal = { login: ann.name, password: PASSWORD, contents: 'It was not me.' }
  const answer = await guest('POST', '/auth/appeals', appeal)
  assert.deepEqual(refusalOf(answer), [422, 'second_factor_required'])
  assert.equal((await sql`select from appeals where user_id = ${ann.id}`).length, 0)
  const proven = { ...appeal, second_factor: codeOf(ann.secret) }
  assert.equal((await guest('POST', '/auth/appeals', proven)).status, 201)
})

test('lets the owner or an administrator disable the second factor (rights-6)', async () => {
  const [ann, other] = [await guarded(), await guarded()]
  const off = (second_factor: string) => as(ann, 'DELETE', '/user/second-factor', { second_factor })
  assert.deepEqual(refusalOf(await off('nonsense')), [422, 'wrong_second_factor'])
  assert.equal((await off(codeOf(ann.secret))).status, 204)
  assert.equal((await signIn(ann.name, { password: PASSWORD })).status, 200)
  assert.deepEqual(refusalOf(await off(codeOf(ann.secret))), [422, 'second_factor_off'])
  assert.deepEqual((await as(other, 'GET', '/user/second-factor')).body, {
    enabled: true,
    recovery_codes: 10,
  })

  const bob = await guarded()
  const founder = await person({ roles: ['founder'] })
  const path = `/admin/users/${bob.id}/second-factor`
  assert.equal((await as(ann, 'DELETE', path)).status, 403)
  assert.equal((await as(founder, 'DELETE', path)).status, 204)
  assert.deepEqual(refusalOf(await as(founder, 'DELETE', path)), [422, 'second_factor_off'])
  assert.equal((await signIn(bob.name, { password: PASSWORD })).status, 200)
  const [kept] = (await as(founder, 'GET', '/admin/audit-log?action=users.second-factor-off')).body.data
  assert.equal(kept.subject_id, String(bob.id))
})

test('requires a second factor of administrators while a setting demands it (rights-8)', async () => {
  const founder = await person({ roles: ['founder'] })
  await under({ 'account:second-factor-for-administrators': true }, async () => {
    assert.deepEqual(refusalOf(await as(founder, 'GET', '/admin/users')), [403, 'second_factor_needed'])
    const ann = await person()
    assert.deepEqual(refusalOf(await as(ann, 'GET', '/admin/users')), [403, 'forbidden'])
    assert.equal((await as(founder, 'GET', '/user')).status, 200)
    const { secret } = (await as(founder, 'POST', '/user/second-factor', {})).body
    const on = await as(founder, 'PUT', '/user/second-factor', { second_factor: codeOf(secret) })
    assert.equal(on.status, 200)
    assert.equal((await as(founder, 'GET', '/admin/users')).status, 200)
  })
})
