import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldError, fresh, refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { guest, as, person, outbox, work } = world
const { codeFor, register, signUp, signIn } = signUpsOn(world)
const admin = await person({ roles: ['founder'] })

const under = settingsOn(world)
const askCode = (target: object) => guest('POST', '/verifycodes/register', target)
const sentTo = (to: string) => outbox.filter((each) => each.to === to).length

test('rejects registrations and requests for registration codes while registration is closed (registration-1)', async () => {
  const before = fresh()
  const code = await codeFor(before.email, '/verifycodes/register')
  await under({ 'register:type': 'closed' }, async () => {
    const { phone, email } = fresh()
    for (const target of [{ phone }, { email }])
      assert.deepEqual(refusalOf(await askCode(target)), [403, 'registration_closed'])
    await work()
    assert.equal(sentTo(phone) + sentTo(email), 0)
    const late = await register({ email: before.email, verifiable_code: code })
    assert.deepEqual(refusalOf(late), [403, 'registration_closed'])
    assert.equal((await guest('GET', '/bootstrappers')).body.registerSettings.type, 'closed')
    const made = await as(admin, 'POST', '/admin/users', { name: fresh().name, password: 'long enough' })
    assert.equal(made.status, 201)
  })
  assert.equal((await register({ email: before.email, verifiable_code: code })).status, 201)
})

test('rejects registration by phone while only external providers may register users (registration-1)', async () => {
  await under({ 'register:type': 'thirdPart' }, async () => {
    const { phone, name } = fresh()
    assert.deepEqual(refusalOf(await askCode({ phone })), [403, 'registration_outside_only'])
    const body = { name, phone, verifiable_type: 'sms', verifiable_code: 123456 }
    assert.deepEqual(refusalOf(await guest('POST', '/users', body)), [403, 'registration_outside_only'])
  })
})

for (const [methods, open, shut, code] of [
  [['mail', 'mail-only'], 'email', 'phone', 'phone_registration_off'],
  [['mobile', 'mobile-only'], 'phone', 'email', 'email_registration_off'],
] as const)
  for (const method of methods)
    test(`rejects ${shut} registration when the method is ${method} (registration-2)`, async () => {
      const early = fresh()
      const given = await codeFor(early[shut], '/verifycodes/register')
      await under({ 'register:method': method }, async () => {
        const given2 = fresh()
        const refused = await askCode({ [shut]: given2[shut] })
        assert.equal(refused.headers['x-error-code'], code)
        fieldError(refused, shut)
        await work()
        assert.equal(sentTo(given2[shut]), 0)
        fieldError(await register({ [shut]: early[shut], verifiable_code: given }), shut)
        assert.equal((await register({ [open]: given2[open] })).status, 201)
      })
    })

test('lets a signed-in user bind a phone while registration is closed (registration-2)', async () => {
  const ann = await signUp({ password: null })
  const { phone } = fresh()
  await under({ 'register:method': 'mail-only', 'register:type': 'closed' }, async () => {
    assert.equal((await as(ann, 'POST', '/verifycodes/register', { phone })).status, 202)
    await work()
    const code = outbox.findLast(({ to }) => to === phone)?.code
    const proof = await codeFor(String('email' in ann ? ann.email : ''))
    const bound = await as(ann, 'PUT', '/user', { phone, verifiable_code: code, old_verifiable_code: proof })
    assert.equal(bound.status, 204, JSON.stringify(bound.body))
  })
})

test('enforces the lists of allowed and blocked e-mail addresses and domains (registration-3)', async () => {
  const ann = await signUp()
  const early = 'early@sub.blocked.example'
  const code = await codeFor(early, '/verifycodes/register')
  await under({ 'register:email-blocked': ['Blocked.example', 'eve@mail.example'] }, async () => {
    for (const email of ['x@blocked.example', early, 'Eve@Mail.example'])
      assert.deepEqual(refusalOf(await askCode({ email })), [422, 'email_not_accepted'], email)
    fieldError(await register({ email: early, verifiable_code: code }), 'email')
    const bound = await as(ann, 'PUT', '/user', {
      email: early,
      verifiable_code: code,
      password: ann.password,
    })
    assert.deepEqual(refusalOf(bound), [422, 'email_not_accepted'])
    assert.equal((await register({ email: 'adam@mail.example' })).status, 201)
  })
  await under({ 'register:email-allowed': ['school.example'] }, async () => {
    assert.deepEqual(refusalOf(await askCode({ email: fresh().email })), [422, 'email_not_accepted'])
    assert.equal((await register({ email: 'ann@math.school.example' })).status, 201)
    const who = 'email' in ann ? String(ann.email) : ''
    assert.equal((await signIn(who, { verifiable_code: await codeFor(who) })).status, 200)
  })
})

test('registers phone numbers of configured countries only (registration-4)', async () => {
  const phone = '+1 (415) 555-2671'
  const kept = '+14155552671'
  assert.deepEqual(refusalOf(await askCode({ phone })), [422, 'phone_country_not_accepted'])
  fieldError(await askCode({ phone: '4155552671' }), 'phone')
  await under({ 'register:phone-countries': ['US', 'CN'] }, async () => {
    assert.deepEqual(refusalOf(await askCode({ phone: '+442071838750' })), [
      422,
      'phone_country_not_accepted',
    ])
    const { name } = fresh()
    assert.equal((await askCode({ phone })).status, 202)
    await work()
    const code = outbox.findLast(({ to }) => to === kept)?.code
    const body = { name, phone, verifiable_type: 'sms', verifiable_code: code, password: 'correct horse' }
    const made = await guest('POST', '/users', body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal((await guest('GET', `/user?token=${made.body.token}`)).body.phone, kept)
    fieldError(await askCode({ phone: '+1-415-555-2671' }), 'phone')
  })
  for (const login of [kept, phone])
    assert.equal((await signIn(login, { password: 'correct horse' })).status, 200, login)
  assert.equal((await signIn(kept, { verifiable_code: await codeFor(kept) })).status, 200)
  const listed = await as(admin, 'GET', `/admin/users?phone=${encodeURIComponent(phone)}`)
  assert.equal(listed.body.total, 1)
  assert.equal((await guest('GET', `/users/${encodeURIComponent(kept)}`)).body.id, -1)
  const found = await as(admin, 'POST', '/user/find-by-phone', { phones: [phone] })
  assert.equal(found.body[0].mobi, phone)
})

test('accepts a phone number at sign-in with or without the country code (registration-4)', async () => {
  const { phone } = fresh()
  await signUp({ phone })
  for (const login of [phone, `86${phone}`, `+86${phone}`, `+86-${phone}`, `086${phone}`])
    assert.equal((await signIn(login, { password: 'correct horse' })).status, 200, login)
  await under({ 'register:phone-countries': ['US'] }, async () => {
    assert.deepEqual(refusalOf(await askCode({ phone: fresh().phone })), [422, 'phone_country_not_accepted'])
    assert.equal((await signIn(phone, { verifiable_code: await codeFor(phone) })).status, 200)
  })
})

test('validates the registration settings for e-mail and countries (registration-3, registration-4)', async () => {
  for (const [name, values] of [
    ['register:phone-countries', ['CN', 'ZZ']],
    ['register:phone-countries', ['cn']],
    ['register:email-blocked', ['no domain']],
    ['register:email-allowed', ['@school.example']],
  ] as const)
    fieldError(await as(admin, 'PATCH', '/admin/settings', { [name]: values }), name)
  for (const values of [{ 'register:phone-countries': ['*'] }, { 'register:email-allowed': ['a@b.example'] }])
    assert.equal((await as(admin, 'PATCH', '/admin/settings', values)).status, 204)
})
