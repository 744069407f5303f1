import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildApp } from '#app'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import { payerOf } from '#platform/http'
import { createMetrics } from '#platform/observability'
import { updateSettings } from '#test/settings.ts'
import { fieldError, fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person, type World } from '#test/world.ts'
import { setAccountDisabled } from './passwords.ts'

const world = await createWorld()
const limited = await createWorld({ RATE_LIMIT_SENSITIVE: '10' })
const { as, guest, sql, ctx } = world
const { codeFor, signUp, signIn } = signUpsOn(world)

const isGood = async (token: string) => (await guest('GET', `/user?token=${token}`)).status === 200
const change = (who: Person, old_password: unknown, password: unknown, confirmation = password) =>
  as(who, 'PUT', '/user/password', { old_password, password, password_confirmation: confirmation })

test('ends every other session when the user changes the password (sign-in-6)', async () => {
  const ann = await signUp()
  const other = (await signIn(ann.name, { password: ann.password })).body.access_token
  assert.ok(await isGood(other))
  assert.equal((await change(ann, ann.password, 'another horse')).status, 204)
  assert.ok(await isGood(ann.token))
  assert.equal(await isGood(other), false)
  assert.equal((await guest('POST', '/auth/refresh', { token: other })).status, 401)
  assert.equal((await signIn(ann.name, { password: ann.password })).status, 422)
  assert.equal((await signIn(ann.name, { password: 'another horse' })).status, 200)
})

test('validates a password change (sign-in-7)', async () => {
  const ann = await signUp()
  fieldError(await change(ann, 'wrong one', 'another horse'), 'old_password')
  fieldError(await change(ann, undefined, 'another horse'), 'old_password')
  fieldError(await change(ann, ann.password, 'another horse', 'another house'), 'password')
  fieldError(
    await as(ann, 'PUT', '/user/password', { old_password: ann.password, password: 'no repeat' }),
    'password',
  )
  fieldError(await change(ann, ann.password, ann.password), 'password')
  fieldError(await change(ann, ann.password, 'seven77'), 'password')
  fieldError(await change(ann, ann.password, 'x'.repeat(129), 'x'), 'password')
  assert.equal((await signIn(ann.name, { password: ann.password })).status, 200)
})

test('sets a first password without an old password', async () => {
  const ann = await signUp({ password: null })
  assert.equal((await as(ann, 'GET', '/user')).body.initial_password, false)
  assert.equal((await change(ann, undefined, 'first horse')).status, 204)
  assert.equal((await as(ann, 'GET', '/user')).body.initial_password, true)
  assert.equal((await signIn(ann.name, { password: 'first horse' })).status, 200)
})

test('requires a code for a first password when the session is old (sign-in-7)', async () => {
  const ann = await signUp({ password: null })
  await sql`update token_families set created_at = now() - interval '16 minutes' where user_id = ${ann.id}`
  const set = (verifiable_code?: string) =>
    as(ann, 'PUT', '/user/password', {
      password: 'first horse',
      password_confirmation: 'first horse',
      ...(verifiable_code === undefined ? {} : { verifiable_code }),
    })
  const refused = await set()
  fieldError(refused, 'verifiable_code')
  assert.equal(refused.headers['x-error-code'], 'proof_required')
  const code = await codeFor(String(ann.email))
  assert.equal((await set(String((Number(code) + 1) % 1_000_000))).status, 422)
  assert.equal((await set(code)).status, 204)
  assert.equal((await signIn(ann.name, { password: 'first horse' })).status, 200)
})

test('accepts one of several concurrent password changes', async () => {
  const ann = await signUp()
  const answers = await Promise.all([1, 2, 3, 4].map((i) => change(ann, ann.password, `another horse ${i}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422, 422])
  const winner = answers.findIndex(({ status }) => status === 204) + 1
  assert.equal((await signIn(ann.name, { password: `another horse ${winner}` })).status, 200)
})

test('ends a session that was opened with the old password during a password change', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ann = await signUp()
    const [changed, ...signedIn] = await Promise.all([
      change(ann, ann.password, 'another horse'),
      ...[1, 2, 3].map(() => signIn(ann.name, { password: ann.password })),
    ])
    assert.equal(changed?.status, 204)
    for (const answer of signedIn)
      if (answer.status === 200) assert.equal(await isGood(answer.body.access_token), false)
  }
})

const reset = (fields: Record<string, unknown>) => guest('PUT', '/user/retrieve-password', fields)

test('ends every session when a code resets the password', async () => {
  const ann = await signUp()
  const email = String(ann.email)
  const body = {
    verifiable_type: 'mail',
    verifiable_code: await codeFor(email),
    email,
    password: 'new horse',
  }
  assert.equal((await reset(body)).status, 204)
  assert.equal(await isGood(ann.token), false)
  assert.equal((await signIn(ann.name, { password: 'new horse' })).status, 200)
  assert.equal((await reset(body)).status, 422)
})

test('validates a password reset (sign-in-7)', async () => {
  const { phone } = fresh()
  const ann = await signUp({ phone })
  const code = await codeFor(phone)
  const body = { verifiable_type: 'sms', verifiable_code: code, phone, password: 'new horse' }
  assert.equal((await reset({ ...body, email: fresh().email })).status, 400)
  assert.equal((await reset({ ...body, phone: undefined })).status, 422)
  fieldError(await reset({ ...body, password: 'short' }), 'password')
  fieldError(await reset({ ...body, verifiable_type: 'pigeon' }), 'verifiable_type')
  for (const wrong of [
    { verifiable_type: 'mail' },
    { verifiable_code: (Number(code) + 1) % 1_000_000 },
    { phone: fresh().phone },
  ]) {
    const answer = await reset({ ...body, ...wrong })
    assert.equal(answer.status, 422)
    assert.equal(answer.headers['x-error-code'], 'wrong_code')
  }
  await sql`update users set deleted_at = now() where id = ${ann.id}`
  assert.equal((await reset(body)).headers['x-error-code'], 'wrong_code')
  await sql`update users set deleted_at = null where id = ${ann.id}`
  assert.equal((await reset(body)).status, 204)
})

test('ends the sessions of a disabled account (sign-in-6)', async () => {
  const ann = await signUp()
  assert.ok(await isGood(ann.token))
  assert.equal(await setAccountDisabled(ctx, sql, ann.id, true), true)
  assert.equal(await setAccountDisabled(ctx, sql, ann.id, true), false)
  assert.equal(await isGood(ann.token), false)
  assert.equal((await guest('POST', '/auth/refresh', { token: ann.token })).status, 401)
  assert.equal((await signIn(ann.name, { password: ann.password })).status, 403)
  assert.equal(await setAccountDisabled(ctx, sql, ann.id, false), true)
  assert.equal((await signIn(ann.name, { password: ann.password })).status, 200)
  assert.equal(await isGood(ann.token), false)
})

async function shopOn({ ctx }: World) {
  const shop = await buildApp({ ...ctx, metrics: createMetrics() })
  shop.post('/api/v2/pay', { config: { access: 'user' } }, async (request, reply) => {
    await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
    return { paid: true }
  })
  after(() => shop.close())
  return async (who: Person, body?: object) => {
    const headers = { authorization: `Bearer ${who.token}` }
    return shop.inject({ method: 'POST', url: '/api/v2/pay', headers, payload: body ?? {} })
  }
}

test('requires the password for a payment only while a setting demands it (conventions-29)', async () => {
  const [ann, bob] = [await signUp(), await signUp({ password: null })]
  const pay = await shopOn(world)
  assert.equal((await pay(ann)).statusCode, 200)
  await updateSettings(ctx, sql, { 'pay-validate-user-password': true })
  for (const body of [undefined, { password: 'wrong one' }, { password: 7 }, { password: '' }]) {
    const answer = await pay(ann, body)
    assert.equal(answer.statusCode, 403)
    assert.equal(answer.headers['x-error-code'], 'wrong_password')
  }
  assert.equal((await pay(ann, { password: ann.password })).statusCode, 200)
  const answer = await pay(bob, { password: 'anything' })
  assert.equal(answer.statusCode, 403)
  assert.equal(answer.headers['x-error-code'], 'password_not_set')
  await updateSettings(ctx, sql, { 'pay-validate-user-password': false })
})

test('limits the password checks of payments and password changes to ten a minute in total (conventions-13)', async () => {
  const ann = await limited.person()
  const pay = await shopOn(limited)
  await updateSettings(limited.ctx, limited.sql, { 'pay-validate-user-password': true })
  const wrong = { old_password: 'x', password: 'another horse', password_confirmation: 'another horse' }
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) statuses.push((await pay(ann, {})).statusCode)
  for (let i = 0; i < 4; i += 1) statuses.push((await pay(ann, { password: '' })).statusCode)
  assert.deepEqual(statuses, Array(10).fill(403))
  assert.equal((await pay(ann, {})).statusCode, 429)
  assert.equal((await limited.as(ann, 'PUT', '/user/password', wrong)).status, 429)
})
