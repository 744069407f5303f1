import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { HASH } from '#test/fixtures/old-people.ts'
import { fieldError, fresh, signUpsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { hashPassword } from './hashing.ts'

const world = await createWorld()
const limited = await createWorld({ RATE_LIMIT_SENSITIVE: '10', TRUST_PROXY: '127.0.0.1' })
const strict = await createWorld({ RATE_LIMIT_SENSITIVE: '1', TRUST_PROXY: '127.0.0.1' })
const { as, guest, sql } = world
const { codeFor, signUp, signIn } = signUpsOn(world)

test('signs in by e-mail, phone, name or id (sign-in-4)', async () => {
  const ann = await signUp({ phone: fresh().phone, password: ' Mot de passe ' })
  const email = fresh().email
  const code = await codeFor(email, '/verifycodes/register')
  assert.equal(
    (await as(ann, 'PUT', '/user', { email, verifiable_code: code, password: ann.password })).status,
    204,
  )
  const phone = String(ann.phone)
  for (const login of [
    email.toUpperCase(),
    phone,
    `+86-${phone}`,
    ann.name,
    ann.name.toUpperCase(),
    `${ann.id}`,
  ]) {
    const answer = await signIn(login, { password: ' Mot de passe ' })
    assert.equal(answer.status, 200, login)
    assert.deepEqual(Object.keys(answer.body), ['access_token', 'token_type', 'expires_in', 'refresh_ttl'])
    assert.equal(answer.body.token_type, 'bearer')
    assert.equal(answer.body.expires_in, 60)
    assert.equal(answer.body.refresh_ttl, 20_160)
    assert.equal((await guest('GET', `/user?token=${answer.body.access_token}`)).body.id, ann.id)
  }
  assert.equal((await signIn(ann.name, { password: 'Mot de passe' })).status, 422)
})

test('returns the same error for an unknown account and a wrong password (sign-in-4)', async () => {
  const [ann, codeOnly] = [await signUp(), await signUp({ password: null })]
  const answers = [
    await signIn(ann.name, { password: 'wrong one' }),
    await signIn('nobody_here', { password: 'wrong one' }),
    await signIn(fresh().email, { password: 'wrong one' }),
    await signIn('999999999', { password: 'wrong one' }),
    await signIn('-- 1', { password: 'wrong one' }),
    await signIn(codeOnly.name, { password: 'wrong one' }),
    await signIn(ann.name, { verifiable_code: '123456' }),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body, answers[0]?.body)
    assert.equal(answer.headers['x-error-code'], 'wrong_sign_in')
  }
})

test('requires a login and either a password or a code', async () => {
  fieldError(await guest('POST', '/auth/login', { password: 'x' }), 'login')
  fieldError(await guest('POST', '/auth/login', { login: 'x' }), 'password')
  fieldError(await guest('POST', '/auth/login', { login: 'x', password: '' }), 'password')
  fieldError(await guest('POST', '/auth/login', { login: 'x', password: 12345678 }), 'password')
})

test('reports that an account is disabled only after the right password (sign-in-4)', async () => {
  const ann = await signUp()
  await sql`update users set deleted_at = now() where id = ${ann.id}`
  assert.equal((await signIn(ann.name, { password: 'wrong one' })).status, 422)
  const answer = await signIn(ann.name, { password: ann.password })
  assert.equal(answer.status, 403)
  assert.equal(answer.headers['x-error-code'], 'account_disabled')
})

test('signs in a user without a password by a code', async () => {
  const { phone } = fresh()
  const ann = await signUp({ phone, password: null })
  const code = await codeFor(phone)
  assert.equal((await signIn(ann.name, { verifiable_code: code })).status, 422)
  assert.equal((await signIn(fresh().phone, { verifiable_code: code })).status, 422)
  const answer = await signIn(phone, { verifiable_code: code })
  assert.equal(answer.status, 200)
  assert.equal((await signIn(phone, { verifiable_code: code })).status, 422)
})

test('invalidates a code after five wrong attempts at sign-in (sign-in-3)', async () => {
  const { phone } = fresh()
  await signUp({ phone })
  const code = await codeFor(phone)
  const guess = Number(code) === 111_111 ? 222_222 : 111_111
  for (let n = 0; n < 5; n += 1)
    assert.equal((await signIn(phone, { verifiable_code: guess })).headers['x-error-code'], 'wrong_code')
  assert.equal((await signIn(phone, { verifiable_code: code })).headers['x-error-code'], 'wrong_code')
})

test('rejects a code for a phone that no longer belongs to an account (sign-in-4)', async () => {
  const { phone } = fresh()
  const ann = await signUp({ phone })
  const code = await codeFor(phone)
  await sql`update users set phone = null where id = ${ann.id}`
  const answer = await signIn(phone, { verifiable_code: code })
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'wrong_sign_in'])
})

test('opens no session when the account is disabled during the sign-in (sign-in-6)', async () => {
  const ann = await signUp()
  let early: ReturnType<typeof signIn> | undefined
  await transaction(sql, async (tx) => {
    await tx`update users set deleted_at = now() where id = ${ann.id}`
    early = signIn(ann.name, { password: ann.password })
    await untilWaiting(sql)
  })
  const answer = await early
  assert.deepEqual([answer?.status, answer?.headers['x-error-code']], [422, 'wrong_sign_in'])
})

test('opens no session when an imported password changes during its rehash (sign-in-4)', async () => {
  const ann = await signUp()
  await sql`update users set password = ${HASH} where id = ${ann.id}`
  const password = await hashPassword('another horse')
  let early: ReturnType<typeof signIn> | undefined
  await transaction(sql, async (tx) => {
    await tx`update users set password = ${password} where id = ${ann.id}`
    early = signIn(ann.name, { password: ann.password })
    await untilWaiting(sql)
  })
  const answer = await early
  assert.deepEqual([answer?.status, answer?.headers['x-error-code']], [422, 'wrong_sign_in'])
  assert.equal((await signIn(ann.name, { password: 'another horse' })).status, 200)
})

test('ends only the current session on sign-out (sign-in-6)', async () => {
  const ann = await signUp()
  const tokens: string[] = []
  for (let i = 0; i < 6; i += 1)
    tokens.push((await signIn(ann.name, { password: ann.password })).body.access_token)
  const [a, b, c, d, e, kept] = tokens as [string, string, string, string, string, string]
  const answers = [
    await as({ ...ann, token: a }, 'POST', '/auth/logout'),
    await as({ ...ann, token: b }, 'DELETE', '/auth/logout', {}),
    await guest('GET', `/auth/logout?token=${c}`),
    await guest('PUT', '/auth/logout', { token: d }),
    await guest('PATCH', `/auth/logout?token=${e}`),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 200)
    assert.equal(typeof answer.body.message, 'string')
  }
  for (const token of [a, b, c, d, e]) {
    assert.equal((await guest('GET', `/user?token=${token}`)).status, 401)
    assert.equal((await guest('POST', '/auth/refresh', { token })).status, 401)
    assert.equal((await guest('POST', '/auth/logout', { token })).status, 401)
  }
  assert.equal((await guest('GET', `/user?token=${kept}`)).status, 200)
  assert.equal((await guest('GET', '/auth/logout')).status, 401)
})

const from = (address: number) => ({ 'x-forwarded-for': `10.0.0.${address}` })
const attempt = (login: string, address: number) =>
  limited.guest('POST', '/auth/login', { login, password: 'wrong one' }, from(address))

test('limits sign-in attempts per account across client addresses (conventions-13)', async () => {
  const { phone } = fresh()
  const ann = await strict.person({ name: 'limited_ann' })
  await strict.sql`update users set phone = ${phone} where id = ${ann.id}`
  const names = ['limited_ann', phone, `${ann.id}`]
  const tryOn = (login: string, address: number) =>
    strict.guest('POST', '/auth/login', { login, password: 'wrong one' }, from(address))
  for (let i = 0; i < 20; i += 1) {
    const answer = await tryOn(names[i % 3]!, i)
    assert.equal(answer.status, 422)
    assert.equal(answer.headers['x-ratelimit-limit'], '1')
    assert.equal(answer.headers['x-ratelimit-remaining'], '0')
  }
  const refused = await tryOn(names[1]!, 21)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.equal(Number(refused.headers['x-ratelimit-reset']) % 60, 0)
  assert.equal((await tryOn('somebody_else', 22)).status, 422)
})

test('lets the owner sign in while a stranger guesses passwords (conventions-13)', async () => {
  const ann = await limited.person({ name: 'owner_ann' })
  const own = (body: object, address: number) => limited.as(ann, 'PUT', '/user/password', body, from(address))
  const password = 'a password of mine'
  assert.equal((await own({ password, password_confirmation: password }, 70)).status, 204)
  for (let i = 0; i < 10; i += 1) assert.equal((await attempt('owner_ann', 71)).status, 422)
  assert.equal((await attempt('owner_ann', 71)).status, 429)
  const signedIn = await limited.guest('POST', '/auth/login', { login: 'owner_ann', password }, from(70))
  assert.equal(signedIn.status, 200)
  // Password changes have a separate limit of ten attempts per user. The first password change above used one
  // attempt.
  const wrong = { old_password: 'not mine', password: 'another one', password_confirmation: 'another one' }
  for (let i = 0; i < 9; i += 1) assert.equal((await own(wrong, 71)).status, 422)
  const refused = await own(wrong, 72)
  assert.deepEqual([refused.status, refused.headers['x-ratelimit-remaining']], [429, '0'])
  const again = await limited.guest('POST', '/auth/login', { login: 'owner_ann', password }, from(70))
  assert.equal(again.status, 200)
})

test('limits sign-in attempts and code requests from one client address to ten a minute in total', async () => {
  for (let i = 0; i < 9; i += 1) assert.equal((await attempt(`somebody_${i}`, 50)).status, 422)
  const { phone } = fresh()
  assert.equal((await limited.guest('POST', '/verifycodes', { phone }, from(50))).status, 422)
  const answer = await limited.guest('POST', '/verifycodes', { phone }, from(50))
  assert.equal(answer.status, 429)
  assert.equal(answer.headers['x-ratelimit-remaining'], '0')
  assert.equal((await attempt('somebody_1', 51)).status, 422)
})
