import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailSender } from '#modules/mail/index.ts'
import { transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'
import { MAIL_NAMES, mailDefinition } from './catalogue.ts'
import { MailError, type MailMessage } from './mail.ts'
import { alertAccountOwner } from './messages.ts'
import { ORIGINAL, renderMail } from './texts.ts'

const world = await createWorld({
  PUBLIC_URL: 'http://site.test',
  SMTP_URL: 'smtp://127.0.0.1:1',
})
const { as, ctx, guest, person, sql, work } = world
const under = settingsOn(world)
const founder = await person({ roles: ['founder'] })
const mails: MailMessage[] = []
Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })

const set = (mail: string, body: object, who: Person = founder) =>
  as(who, 'PATCH', `/admin/mails/${mail}`, body)
const read = async (mail: string) =>
  (await as(founder, 'GET', '/admin/mails')).body.find((each: { mail: string }) => each.mail === mail)
const addEmail = (who: Person) =>
  sql`update users set email = ${`${who.name}@mail.example`}, email_key = ${`${who.name}@mail.example`} where id = ${who.id}`
const code = async (email: string, language = 'en') => {
  mails.length = 0
  const answer = await guest('POST', '/verifycodes/register', { email }, { 'accept-language': language })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  await work()
  return mails[0] as MailMessage
}

test('lists each mail with its original text and placeholders', async () => {
  const { body } = await as(founder, 'GET', '/admin/mails')
  assert.deepEqual(
    body.map(({ mail }: { mail: string }) => mail),
    MAIL_NAMES,
  )
  const found = await read('code')
  assert.equal(found.is_changed, false)
  assert.match(found.original.text_en, /\{code\}/)
  assert.deepEqual(
    found.placeholders.map(({ name, needed }: { name: string; needed: boolean }) => [name, needed]),
    [
      ['code', true],
      ['site', false],
      ['address', false],
    ],
  )
})

test('fills every placeholder of every original text', () => {
  for (const mail of MAIL_NAMES) {
    const { values } = mailDefinition(mail)
    const examples = Object.fromEntries(Object.entries(values).map(([name, { example }]) => [name, example]))
    const { subject, text } = renderMail(mail, ORIGINAL, { ...examples, site: 'S', address: 'A' })
    assert.doesNotMatch(subject + text, /\{\w*\}/, mail)
  }
})

test('sends a changed mail, and the original after a reset', async () => {
  const changes = { subject_en: 'Hello from {site}', text_en: 'Type {code} at {address}.' }
  assert.equal((await set('code', changes)).status, 204)
  const mail = await code('one@mail.example')
  assert.equal(mail.subject, 'Hello from Kith · Kith')
  assert.match(mail.text, /^Type \d{6} at http:\/\/site\.test\.$/)
  assert.match((await code('two@mail.example', 'zh')).text, /^您在Kith的验证码是 \d{6}/)
  assert.equal((await read('code')).is_changed, true)
  assert.equal((await as(founder, 'DELETE', '/admin/mails/code')).status, 204)
  assert.match((await code('three@mail.example')).text, /^Your verification code for Kith is/)
  assert.equal((await read('code')).is_changed, false)
})

test('sends a mail in one language when the administrator chose it', async () => {
  const ann = await person()
  await addEmail(ann)
  const send = async () => {
    mails.length = 0
    await alertAccountOwner(ctx, sql, ann.id, 'password')
    await work()
    return mails[0] as MailMessage
  }
  const both = await send()
  assert.match(both.subject, /^账号安全提醒 Your account was changed · Kith$/)
  assert.match(both.text, /^您的账号密码刚刚被修改。.* The password of your account was just changed\./)
  await set('account-changed', { languages: 'en', text_en: 'Careful: {change}' })
  const english = await send()
  assert.equal(english.subject, 'Your account was changed · Kith')
  assert.match(english.text, /^Careful: The password of your account was just changed\./)
})

test('rejects unknown placeholders, and a code mail without the code', async () => {
  const unknown = await set('code', { text_en: '{code} {password}' })
  assert.equal(unknown.status, 422)
  assert.match(unknown.body.errors.text_en[0], /no placeholder \{password\}.*\{code\}, \{site\}, \{address\}/)
  const missing = await set('code', { text_zh: '你好' })
  assert.deepEqual(missing.body.errors, { text_zh: ['The text must contain {code}.'] })
  assert.equal((await set('nothing', { text_en: 'x' })).status, 404)
  assert.equal((await read('code')).is_changed, false)
})

test('does not fill placeholders in values', () => {
  const values = { device: '{network}', network: 'N', site: 'S', address: 'A' }
  assert.match(renderMail('sign-in', ORIGINAL, values).text, /\(\{network\}, N\)/)
})

test('previews a draft and sends it to the administrator as a test', async () => {
  const draft = { subject_en: 'Draft', text_en: 'Your code: {code}' }
  await under({ 'site:name': 'Riverside' }, async () => {
    const { status, body } = await as(founder, 'POST', '/admin/mails/code/preview', draft)
    assert.equal(status, 200)
    assert.deepEqual([body.subject, body.text], ['Draft · Riverside', 'Your code: 482913'])
    assert.match(body.html, /Your code: <strong>482913<\/strong>[\s\S]*Riverside/)
    assert.deepEqual(refusalOf(await as(founder, 'POST', '/admin/mails/code/test', draft)), [422, 'no_email'])
    await addEmail(founder)
    mails.length = 0
    assert.equal((await as(founder, 'POST', '/admin/mails/code/test', draft)).status, 204)
    assert.deepEqual([mails[0]?.to, mails[0]?.subject], [`${founder.name}@mail.example`, 'Draft · Riverside'])
    Object.assign(mailSender(ctx), { send: () => Promise.reject(new Error('closed')) })
    assert.deepEqual(refusalOf(await as(founder, 'POST', '/admin/mails/code/test', draft)), [
      502,
      'mail_failed',
    ])
    const fault = new MailError(Object.assign(new Error('535'), { code: 'EAUTH' }), {
      url: 'smtp://jo:secret@mail.example',
      sender: 'jo@mail.example',
    })
    Object.assign(mailSender(ctx), { send: () => Promise.reject(fault) })
    const { body: told } = await as(founder, 'POST', '/admin/mails/code/test', draft)
    assert.match(
      told.message,
      /^The mail server did not accept the test\. .* the password\. Correct both in SMTP_URL\.$/,
    )
    Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })
  })
  assert.equal((await read('code')).is_changed, false)
})

test('sends messages that an earlier version enqueued', async () => {
  const sealed = ctx.secrets.seal(
    JSON.stringify({ channel: 'mail', to: 'old@mail.example', subject: 'Old', text: 'Old text' }),
  )
  mails.length = 0
  await addJob(sql, 'send_letter', { sealed })
  await work()
  assert.deepEqual([mails[0]?.subject, mails[0]?.text], ['Old · Kith', 'Old text'])
})

test('keeps both of two changes that race', async () => {
  const replies = await Promise.all([
    set('deleted', { subject_en: 'Bye' }),
    set('deleted', { subject_zh: '再见' }),
  ])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204],
  )
  const { subject_en, subject_zh } = await read('deleted')
  assert.deepEqual([subject_en, subject_zh], ['Bye', '再见'])
})

test('reads the texts that a concurrent change is storing before it changes a mail', async () => {
  await set('signed-out', { subject_en: 'Old' })
  let change: ReturnType<typeof set> | undefined
  await transaction(sql, async (tx) => {
    await tx`select from mail_texts where mail = 'signed-out' for update`
    change = set('signed-out', { subject_zh: '新' })
    await untilWaiting(sql)
    await tx`update mail_texts set subject_en = 'New' where mail = 'signed-out'`
  })
  assert.equal((await change)?.status, 204)
  const [texts] = await sql`select subject_en, subject_zh from mail_texts where mail = 'signed-out'`
  assert.deepEqual({ ...texts }, { subject_en: 'New', subject_zh: '新' })
})

test('audits changes of mails and reserves them for administrators who may change the site', async () => {
  await set('receipt', { subject_en: 'Thank you' })
  const { body } = await as(founder, 'GET', '/admin/audit-log?action=mails.update&subject_id=receipt')
  assert.equal(body.data[0].after.subject_en, 'Thank you')
  const member = await person()
  assert.equal((await as(member, 'GET', '/admin/mails')).status, 403)
  assert.equal((await set('receipt', { subject_en: 'x' }, member)).status, 403)
  assert.equal((await as(member, 'POST', '/admin/mails/code/test', {})).status, 403)
})
