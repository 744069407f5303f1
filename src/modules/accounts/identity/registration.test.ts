import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { ensureFounder, founderPasswordPath } from '#modules/accounts/index.ts'
import { updateSettings } from '#test/settings.ts'
import { fieldError, fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const empty = await createWorld({ FOUNDER_NAME: 'captain' })
const world = await createWorld()
const { guest, sql, ctx } = world
const { codeFor, register, signUp, signIn } = signUpsOn(world)

test('signs in a user who registers by e-mail (sign-in-2)', async () => {
  const given = fresh()
  const answer = await register({ ...given, phone: undefined, password: 'long enough' })
  assert.equal(answer.status, 201)
  assert.deepEqual(Object.keys(answer.body), ['token', 'ttl', 'refresh_ttl'])
  assert.equal(answer.body.ttl, 60)
  assert.equal(answer.body.refresh_ttl, 20_160)
  const me = await guest('GET', `/user?token=${answer.body.token}`)
  assert.equal(me.body.name, given.name)
  assert.equal(me.body.email, given.email)
  assert.equal(me.body.phone, null)
  assert.equal(me.body.initial_password, true)
  assert.equal(me.body.extra.followers_count, 0)
  const abilities = await guest('GET', `/user/abilities?token=${answer.body.token}`)
  assert.deepEqual(
    abilities.body.map(({ name }: { name: string }) => name),
    ['feed-post'],
  )
  assert.equal((await signIn(given.name, { password: 'long enough' })).status, 200)
})

test('registers a user by phone without a password (sign-in-2)', async () => {
  const { name, phone } = fresh()
  const code = await codeFor(phone, '/verifycodes/register')
  const answer = await guest('POST', '/users', {
    name,
    phone: `86${phone}`,
    verifiable_type: 'sms',
    verifiable_code: Number(code),
    password: '',
  })
  assert.equal(answer.status, 201)
  const me = await guest('GET', `/user?token=${answer.body.token}`)
  assert.equal(me.body.phone, phone)
  assert.equal(me.body.initial_password, false)
})

test('rejects invalid, reserved and duplicate names (conventions-32, conventions-33)', async () => {
  const { email } = fresh()
  const code = await codeFor(email, '/verifycodes/register')
  const named = (name: unknown) => register({ email, verifiable_code: code, name })
  for (const name of [
    '1abc',
    'a',
    'a b',
    'a-b',
    'x'.repeat(25),
    '很'.repeat(13),
    '',
    ' ',
    'root',
    'ＡＤＭＩＮ',
    '\u0430dmin',
    '\u039a\u0399\u03a4\u0397',
    'r\u00f3\u00f6t',
    'r00t',
    7,
  ])
    fieldError(await named(name), 'name')
  const ann = await signUp()
  fieldError(await named(ann.name.toUpperCase()), 'name')
  fieldError(await named(ann.name.replace('r', 'ｒ')), 'name')
  await sql`update users set deleted_at = now() where id = ${ann.id}`
  assert.equal(fieldError(await named(ann.name), 'name'), 'This name is taken.')
  assert.equal((await named('字字')).status, 201)
})

test('rejects an e-mail address that a disabled user has', async () => {
  const ann = await signUp()
  const bob = fresh()
  const code = await codeFor(bob.email, '/verifycodes/register')
  await sql`update users set email = ${bob.email}, email_key = ${bob.email.toLowerCase()}, deleted_at = now()
    where id = ${ann.id}`
  fieldError(await register({ ...bob, phone: undefined, verifiable_code: code }), 'email')
  fieldError(await guest('POST', '/verifycodes/register', { email: bob.email }), 'email')
})

test('validates the fields of a registration', async () => {
  const { email, phone } = fresh()
  const code = await codeFor(email, '/verifycodes/register')
  const body = { email, verifiable_code: code }
  fieldError(await register({ ...body, verifiable_type: 'sms' }), 'verifiable_type')
  fieldError(await register({ ...body, verifiable_type: 'post' }), 'verifiable_type')
  fieldError(await register({ ...body, password: '1234567' }), 'password')
  fieldError(await register({ ...body, password: 'x'.repeat(129) }), 'password')
  fieldError(await register({ ...body, verifiable_code: 'abcdef' }), 'verifiable_code')
  assert.equal((await register({ ...body, phone })).status, 422)
  assert.equal((await register({ ...body, email: fresh().email })).headers['x-error-code'], 'wrong_code')
  const empty = await guest('POST', '/users', {})
  assert.deepEqual(Object.keys(empty.body.errors).sort(), ['name', 'verifiable_code', 'verifiable_type'])
  assert.equal((await register(body)).status, 201)
})

test('creates one user from concurrent registrations of one name', async () => {
  const { name } = fresh()
  const people = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { email } = fresh()
      return { email, code: '' }
    }),
  )
  for (const person of people) person.code = await codeFor(person.email, '/verifycodes/register')
  const answers = await Promise.all(
    people.map(({ email, code }, i) =>
      register({ name: i % 2 ? name.toUpperCase() : name, email, verifiable_code: code }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422])
  for (const answer of answers) if (answer.status === 422) fieldError(answer, 'name')
  const loser = people[answers.findIndex(({ status }) => status === 422)]
  const retry = await register({ name: fresh().name, email: loser?.email, verifiable_code: loser?.code })
  assert.equal(retry.status, 201)
  const [row] = await sql<[{ people: number; counts: number }]>`
    select (select count(*)::int from users) as people, (select count(*)::int from user_counts) as counts`
  assert.equal(row.people, row.counts)
})

test('creates one user from concurrent registrations with one code', async () => {
  const { email } = fresh()
  const code = await codeFor(email, '/verifycodes/register')
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => register({ email, verifiable_code: code })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422])
})

test('assigns the default role to a new user (sign-in-19)', async () => {
  await updateSettings(ctx, sql, { 'register:role': 'disabler' })
  const ann = await signUp()
  const abilities = await guest('GET', `/user/abilities?token=${ann.token}`)
  assert.deepEqual(abilities.body, [])
  await updateSettings(ctx, sql, { 'register:role': 'owner' })
})

test('creates one founder when several server nodes start at the same time', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => ensureFounder(empty.ctx)))
  const [founder, ...others] = made.filter((each) => each !== undefined)
  assert.equal(others.length, 0)
  assert.equal(founder?.name, 'captain')
  const path = founderPasswordPath(empty.ctx)
  assert.equal(readFileSync(path, 'utf8').trim(), founder?.password)
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600)
  const answer = await empty.guest('POST', '/auth/login', { login: 'captain', password: founder?.password })
  assert.equal(answer.status, 200)
  const abilities = await empty.guest('GET', `/user/abilities?token=${answer.body.access_token}`)
  assert.ok(abilities.body.length > 40)
  assert.equal(await ensureFounder(empty.ctx), undefined)
})

test('creates a founder when imported users exist before the first start', async () => {
  const other = await createWorld({ FOUNDER_PASSWORD: 'configured one' })
  await other.person({ name: 'writer' })
  assert.deepEqual(await ensureFounder(other.ctx), { name: 'root' })
  const taken = await createWorld({ FOUNDER_PASSWORD: 'configured one' })
  await taken.person({ name: 'Root' })
  await assert.rejects(ensureFounder(taken.ctx), /FOUNDER_NAME/)
})

test('creates no founder while an import is open', async () => {
  const other = await createWorld({ FOUNDER_PASSWORD: 'configured one' })
  await other.sql`insert into imports (source, options, runs, finished_at) values ('thinksns', '{}', 1, now())`
  assert.equal(await ensureFounder(other.ctx), undefined)
  assert.equal((await other.sql`select from users`).count, 0)
  await other.sql`update imports set closed_at = now()`
  assert.deepEqual(await ensureFounder(other.ctx), { name: 'root' })
})

test("writes no password file when the founder's password is configured", async () => {
  const other = await createWorld({ FOUNDER_PASSWORD: 'configured one' })
  const bad = { ...other.ctx, config: { ...other.ctx.config, founderName: 'not a name' } }
  await assert.rejects(ensureFounder(bad), /FOUNDER_NAME/)
  // Sign-in accepts at most 128 characters, so a longer password would be useless.
  const long = { ...other.ctx, config: { ...other.ctx.config, founderPassword: 'x'.repeat(129) } }
  await assert.rejects(ensureFounder(long), /FOUNDER_PASSWORD has more than 128 characters/)
  assert.deepEqual(await ensureFounder(other.ctx), { name: 'root' })
  assert.throws(() => statSync(founderPasswordPath(other.ctx)))
  const answer = await other.guest('POST', '/auth/login', { login: 'root', password: 'configured one' })
  assert.equal(answer.status, 200)
})
