import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldError, fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { guest, sql, outbox, work } = world
const { codeFor, register, signUp, signIn } = signUpsOn(world)

test('sends at most one six-digit code a minute to an e-mail address (sign-in-3)', async () => {
  const { email } = fresh()
  const answer = await guest('POST', '/verifycodes/register', { email })
  assert.equal(answer.status, 202)
  assert.equal(answer.body.message.length, 1)
  await work()
  const sent = outbox.filter(({ to }) => to === email)
  assert.equal(sent.length, 1)
  assert.match(sent[0]?.code ?? '', /^\d{6}$/)
  assert.ok(sent[0]?.text.includes(sent[0].code as string))
  const again = await guest('POST', '/verifycodes/register', { email: email.toUpperCase() })
  assert.equal(again.status, 403)
  assert.equal(typeof again.body.message, 'string')
  assert.equal(again.headers['x-error-code'], 'code_too_early')
})

test('sends another code when the clock of the database was ahead at the previous one (sign-in-3)', async () => {
  const { email } = fresh()
  const ask = async () => (await guest('POST', '/verifycodes/register', { email })).status
  assert.equal(await ask(), 202)
  await sql`
    update verification_codes set sent = 10, created_at = created_at + interval '2 days',
      sent_since = sent_since + interval '2 days'
    where account = ${email.toLowerCase()}`
  assert.deepEqual([await ask(), await ask()], [202, 403])
})

test('sends a code by text message in the language of the request', async () => {
  const { phone } = fresh()
  const language = { 'accept-language': 'zh-CN' }
  const answer = await guest('POST', '/verifycodes/register', { phone: `+86-${phone}` }, language)
  assert.equal(answer.status, 202)
  await work()
  assert.match(outbox.find(({ to }) => to === phone)?.text ?? '', /验证码/)
})

test('stores no plain code in the database', async () => {
  const { email } = fresh()
  await guest('POST', '/verifycodes/register', { email })
  const jobs = await sql<{ payload: unknown }[]>`select payload from graphile_worker._private_jobs`
  const [row] = await sql<[{ code_hash: string }]>`
    select code_hash from verification_codes where account = ${email.toLowerCase()}`
  assert.equal(jobs.length, 1)
  assert.ok(!JSON.stringify(jobs).toLowerCase().includes(email.toLowerCase()))
  await work()
  const code = outbox.find(({ to }) => to === email)?.code as string
  assert.ok(!JSON.stringify([jobs, row]).includes(code))
})

test('sends one code when several requests for one e-mail address run concurrently', async () => {
  const { email } = fresh()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => guest('POST', '/verifycodes/register', { email })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array(7).fill(403)])
  await work()
  assert.equal(outbox.filter(({ to }) => to === email).length, 1)
})

test('sends a registration code only to an unused contact, and any other code only to a contact in use', async () => {
  const ann = await signUp()
  const used = { email: String(ann.email).toUpperCase() }
  fieldError(await guest('POST', '/verifycodes/register', used), 'email')
  assert.equal((await guest('POST', '/verifycodes', used)).status, 202)
  const { email, phone } = fresh()
  fieldError(await guest('POST', '/verifycodes', { email }), 'email')
  fieldError(await guest('POST', '/verifycodes', { phone }), 'phone')
})

test('requires exactly one well-formed phone or e-mail for a code', async () => {
  const { email, phone } = fresh()
  for (const body of [{}, { email, phone }, { email: '', phone: null }]) {
    const answer = await guest('POST', '/verifycodes/register', body)
    assert.equal(answer.status, 422)
    assert.deepEqual(Object.keys(answer.body.errors), ['phone', 'email'])
  }
  fieldError(await guest('POST', '/verifycodes/register', { email: 'nobody@' }), 'email')
  fieldError(await guest('POST', '/verifycodes/register', { email: `${'a'.repeat(128)}@b.cc` }), 'email')
  fieldError(await guest('POST', '/verifycodes/register', { phone: '12345678901' }), 'phone')
})

test('invalidates a code after five wrong attempts when nine run concurrently (sign-in-3)', async () => {
  const { email } = fresh()
  const code = await codeFor(email, '/verifycodes/register')
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => register({ email, verifiable_code: wrong })),
  )
  for (const answer of answers) {
    assert.equal(answer.status, 422)
    assert.equal(answer.headers['x-error-code'], 'wrong_code')
  }
  const [row] = await sql<[{ attempts: number }]>`
    select attempts from verification_codes where account = ${email.toLowerCase()}`
  assert.equal(row.attempts, 5)
  assert.equal((await register({ email, verifiable_code: code })).status, 422)
})

test('rejects an expired or replaced code', async () => {
  const { email } = fresh()
  const first = await codeFor(email, '/verifycodes/register')
  await sql`update verification_codes set expires_at = now() where account = ${email.toLowerCase()}`
  assert.equal((await register({ email, verifiable_code: first })).status, 422)
  const second = await codeFor(email, '/verifycodes/register')
  if (first !== second) assert.equal((await register({ email, verifiable_code: first })).status, 422)
  assert.equal((await register({ email, verifiable_code: second })).status, 201)
})

test('accepts a code once and only for its account and purpose', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  const code = await codeFor(String(ann.email))
  assert.equal((await signIn(String(bob.email), { verifiable_code: code })).status, 422)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => signIn(String(ann.email), { verifiable_code: code })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422, 422])
  const { email } = fresh()
  const registering = await codeFor(email, '/verifycodes/register')
  assert.equal((await signIn(email, { verifiable_code: registering })).status, 422)
})

test('limits codes to ten an hour per account (sign-in-3)', async () => {
  const { email } = fresh()
  for (let sent = 0; sent < 10; sent += 1) await codeFor(email, '/verifycodes/register')
  await sql`update verification_codes set created_at = created_at - interval '1 minute'`
  assert.equal((await guest('POST', '/verifycodes/register', { email })).status, 403)
  await sql`update verification_codes set sent_since = sent_since - interval '1 hour'`
  assert.equal((await guest('POST', '/verifycodes/register', { email })).status, 202)
})

test('deletes a code that expired more than an hour ago', async () => {
  const { email } = fresh()
  await codeFor(email, '/verifycodes/register')
  await sql`update verification_codes set expires_at = now() - interval '2 hours', sent_since = now() - interval '3 hours'
    where account = ${email.toLowerCase()}`
  await sql`select graphile_worker.add_job('tidy_codes')`
  await work()
  const rows = await sql`select 1 from verification_codes where account = ${email.toLowerCase()}`
  assert.equal(rows.length, 0)
})
