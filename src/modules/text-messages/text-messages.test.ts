import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALIYUN, aliyunDouble, TWILIO, twilioDouble, twilioReport } from '#test/fixtures/text-services.ts'
import { updateSettings } from '#test/settings.ts'
import { fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { createSms, openTextServices, receiptAddress, smsSender } from './services/sender.ts'

const [ali, twi] = await Promise.all([aliyunDouble(), twilioDouble()])
const world = await createWorld({
  PUBLIC_URL: 'https://kith.example',
  SMS_ALIYUN_KEY_ID: ALIYUN.keyId,
  SMS_ALIYUN_KEY_SECRET: ALIYUN.keySecret,
  SMS_ALIYUN_URL: ali.url,
  SMS_TWILIO_ACCOUNT: TWILIO.account,
  SMS_TWILIO_TOKEN: TWILIO.token,
  SMS_TWILIO_FROM: TWILIO.from,
  SMS_TWILIO_URL: twi.url,
})
const { app, as, ctx, guest, person, sql, work } = world
const { signUp } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })
const sender = smsSender(ctx)
const plain = { ...sender }
const services = openTextServices(ctx.config.sms, (service) => receiptAddress(ctx, service))
Object.assign(sender, createSms(services, ctx.log))
const set = async (settings: Parameters<typeof updateSettings>[2]) => {
  await updateSettings(ctx, sql, settings)
}
await set({ 'sms:templates': ['aliyun code CN SMS_1 Kith'] })

const ask = (phone: string, headers: Record<string, string> = {}) =>
  guest('POST', '/verifycodes/register', { phone }, headers)
const passMinute = (phone: string) =>
  sql`update verification_codes set created_at = created_at - interval '2 hours',
    sent_since = sent_since - interval '2 hours' where account = ${phone}`
const listed = async (query = '') => (await as(founder, 'GET', `/admin/text-messages${query}`)).body.data
const ofNumber = async (phone: string) => (await listed(`?q=${phone.slice(-4)}`))[0]
const report = (service: string, payload: string, headers: Record<string, string> = {}, url?: string) =>
  app.inject({
    method: 'POST',
    url: url ?? receiptAddress(ctx, service).replace('https://kith.example', ''),
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })
const aliyunReport = (biz_id: string, success: boolean, err_code: string) =>
  report('aliyun', JSON.stringify([{ phone_number: '138', success, err_code, biz_id }]))

test('lists a sent verification code without phone number and text (administration-26)', async () => {
  const { phone } = fresh()
  assert.equal((await ask(phone)).status, 202)
  await work()
  const [row] = await listed(`?q=${phone.slice(-4)}`)
  const { id, created_at, reference, ...shown } = row
  assert.ok(id && created_at)
  assert.match(reference, /^ali/)
  assert.deepEqual(shown, {
    service: 'aliyun',
    purpose: 'code',
    country: 'CN',
    ending: phone.slice(-4),
    state: 'accepted',
    fault: null,
    reported_at: null,
  })
  const stored = JSON.stringify(await sql`select * from text_messages`)
  assert.ok(!stored.includes(phone))
  assert.ok(!JSON.stringify(await sql`select * from text_message_counts`).includes(phone))
})

test('uses the second text message service when the first service fails', async () => {
  const { phone } = fresh()
  ali.faults.push(500)
  await ask(phone)
  await work()
  const row = await ofNumber(phone)
  assert.deepEqual([row.service, row.state, row.fault], ['twilio', 'accepted', 'Aliyun answered 500'])
  const { To, StatusCallback } = twi.calls.at(-1)?.fields ?? {}
  assert.deepEqual([To, StatusCallback], [`+86${phone}`, receiptAddress(ctx, 'twilio')])
})

test('does not retry a text message that every service rejects', async () => {
  const { phone } = fresh()
  ali.faults.push('refused')
  twi.faults.push('refused')
  await ask(phone)
  await work()
  const row = await ofNumber(phone)
  assert.deepEqual([row.service, row.state], ['aliyun, twilio', 'refused'])
  assert.match(row.fault, /MOBILE_NUMBER_ILLEGAL; Twilio answered 400 21211/)
  assert.equal((await sql`select from graphile_worker._private_jobs`).length, 0)
})

test('preserves the state of a delivered text message when a later report contradicts it', async () => {
  const { phone } = fresh()
  await ask(phone)
  await work()
  const { reference } = await ofNumber(phone)
  const failed = await aliyunReport(reference, false, 'MOBILE_NOT_ON_SERVICE')
  assert.deepEqual([failed.statusCode, failed.json()], [200, { code: 0, msg: 'OK' }])
  let row = await ofNumber(phone)
  assert.deepEqual([row.state, row.fault], ['failed', 'MOBILE_NOT_ON_SERVICE'])
  assert.ok(row.reported_at)
  for (const success of [true, false]) await aliyunReport(reference, success, 'DELIVERED')
  row = await ofNumber(phone)
  assert.deepEqual([row.state, row.fault], ['delivered', null])
})

test('preserves a delivery report that arrives before its message is stored', async () => {
  const before = (await listed()).length
  assert.equal((await aliyunReport('early^0', true, 'DELIVERED')).statusCode, 200)
  assert.equal((await listed()).length, before)
  const { phone } = fresh()
  Object.assign(sender, {
    services,
    send: async () => ({ service: 'aliyun', reference: 'early^0', refusals: [] }),
  })
  await ask(phone)
  await work()
  Object.assign(sender, createSms(services, ctx.log))
  assert.equal((await ofNumber(phone)).state, 'delivered')
})

test('rejects delivery reports with a wrong URL, body or signature', async () => {
  const url = receiptAddress(ctx, 'aliyun').replace('https://kith.example', '')
  assert.equal((await report('aliyun', '[]', {}, url.slice(0, -1))).statusCode, 404)
  assert.equal((await report('aliyun', '[]', {}, url.replace('aliyun', 'tencent'))).statusCode, 404)
  assert.equal((await report('aliyun', '[]', {}, url.replace('aliyun', 'twilio'))).statusCode, 404)
  assert.equal((await report('aliyun', '[]', {}, url.replace('aliyun', 'constructor'))).statusCode, 404)
  for (const body of ['', 'no', '{}', '[1]', '[{"biz_id":{}}]'])
    assert.equal((await report('aliyun', body)).statusCode, 400, body)
  const { phone } = fresh()
  ali.faults.push('refused')
  await ask(phone)
  await work()
  const { reference } = await ofNumber(phone)
  const address = receiptAddress(ctx, 'twilio')
  const fields = { MessageSid: reference, MessageStatus: 'undelivered', ErrorCode: '30005' }
  const forged = twilioReport(address, fields, 'another token')
  assert.equal((await report('twilio', forged.payload, forged.headers)).statusCode, 400)
  const signed = twilioReport(address, fields)
  const changed = signed.payload.replace('30005', '30006')
  assert.equal((await report('twilio', changed, signed.headers)).statusCode, 400)
  assert.equal((await ofNumber(phone)).state, 'accepted')
  assert.equal((await report('twilio', signed.payload, signed.headers)).statusCode, 200)
  const row = await ofNumber(phone)
  assert.deepEqual([row.state, row.fault], ['failed', '30005'])
  const sent = twilioReport(address, { MessageSid: reference, MessageStatus: 'sent' })
  assert.equal((await report('twilio', sent.payload, sent.headers)).statusCode, 200)
  assert.equal((await ofNumber(phone)).state, 'failed')
})

test('limits text messages per phone number and day (sign-in-30)', async () => {
  await set({ 'sms:daily-per-number': 2 })
  const { phone } = fresh()
  for (const status of [202, 202, 429]) {
    const answer = await ask(phone)
    assert.equal(answer.status, status)
    if (status === 429) {
      assert.equal(answer.headers['x-error-code'], 'too_many_texts')
      const wait = Number(answer.headers['retry-after'])
      assert.ok(wait > 0 && wait <= 86_400, String(wait))
    }
    await passMinute(phone)
  }
  assert.equal((await ask(fresh().phone)).status, 202)
  assert.equal((await guest('POST', '/verifycodes/register', { email: fresh().email })).status, 202)
  await set({ 'sms:daily-per-number': 20 })
})

test('limits verification codes per country under concurrent requests (sign-in-30)', async () => {
  await set({ 'register:phone-countries': ['*'], 'sms:daily-per-country': ['DE 3', '* 100'] })
  const numbers = Array.from({ length: 8 }, (_, place) => `+4915123456${String(700 + place)}`)
  const answers = await Promise.all(numbers.map((phone) => ask(phone)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 3)
  assert.equal(answers.filter(({ status }) => status === 429).length, 5)
  assert.equal((await ask('+33612345678')).status, 202)
  const [{ sent = 0 } = {}] = await sql`select sent from text_message_counts where scope = 'site'`
  await set({ 'sms:daily': Number(sent) + 1 })
  assert.deepEqual([(await ask(fresh().phone)).status, (await ask(fresh().phone)).status], [202, 429])
  await set({ 'sms:daily': 10_000, 'sms:daily-per-country': [] })
})

test('limits verification codes per client address (sign-in-30)', async () => {
  await sql`delete from text_message_counts where scope = 'address'`
  await set({ 'sms:daily-per-address': 3 })
  const statuses = []
  for (let asked = 0; asked < 4; asked += 1) statuses.push((await ask(fresh().phone)).status)
  assert.deepEqual(statuses, [202, 202, 202, 429])
  await set({ 'sms:daily-per-address': 100 })
})

test('drops security alerts above the daily limit of their phone number', async () => {
  Object.assign(sender, plain)
  const { phone } = fresh()
  const ann = await signUp({ phone })
  Object.assign(sender, createSms(services, ctx.log))
  await set({ 'sms:daily-per-number': 1, 'sms:templates': ['aliyun * CN SMS_1 Kith'] })
  const before = ali.calls.length
  await sql`delete from text_message_counts where scope = 'number'`
  let old = ann.password
  for (const password of ['another password', 'a third password']) {
    const changed = await as(ann, 'PUT', '/user/password', {
      old_password: old,
      password,
      password_confirmation: password,
    })
    assert.equal(changed.status, 204, JSON.stringify(changed.body))
    old = password
  }
  await work()
  assert.equal(ali.calls.length - before, 1)
  await set({ 'sms:daily-per-number': 20 })
})

test('rejects settings with invalid templates or limits of text messages', async () => {
  const patch = (body: object) => as(founder, 'PATCH', '/admin/settings', body)
  for (const body of [
    { 'sms:templates': ['aliyun code ZZ SMS_1 Kith'] },
    { 'sms:templates': ['nobody code CN SMS_1 Kith'] },
    { 'sms:daily-per-country': ['DE'] },
    { 'sms:daily-per-country': ['de 5'] },
  ]) {
    const answer = await patch(body)
    assert.equal(answer.status, 422)
    assert.deepEqual(Object.keys(answer.body.errors), Object.keys(body))
  }
})

test('reports an unavailable text message service in the server health', async () => {
  const stateOf = async () => {
    await sql`select graphile_worker.add_job('check_health')`
    await work()
    const { parts } = (await as(founder, 'GET', '/admin/health')).body
    return parts.find(({ name }: { name: string }) => name === 'sms')
  }
  assert.equal((await stateOf()).state, 'good')
  twi.faults.push(500)
  const failing = await stateOf()
  assert.deepEqual([failing.state, failing.fault], ['failing', 'twilio: Twilio answered 500.'])
  await set({ 'sms:daily': 1 })
  assert.equal((await stateOf()).fault, 'the daily limit is reached.')
  await set({ 'sms:daily': 10_000 })
})

test('deletes text messages after 30 days', async () => {
  await sql`update text_messages set created_at = created_at - interval '31 days'`
  await sql`update text_message_counts set day = day - 1`
  await sql`select graphile_worker.add_job('tidy_text_messages')`
  await work()
  assert.equal((await sql`select from text_messages`).length, 0)
  assert.equal((await sql`select from text_message_counts`).length, 0)
})
