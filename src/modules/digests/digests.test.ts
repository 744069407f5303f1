import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailSender } from '#modules/mail/index.ts'
import { createMail, type MailMessage } from '#modules/mail/mail.ts'
import { transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { createLog } from '#platform/observability'
import { groupMaker } from '#test/fixtures/groups.ts'
import { mailServer } from '#test/fixtures/mail-server.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { untilWaiting } from '#test/waiting.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'
import { SITE } from '../../site.ts'
import { sendDigests } from './service.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://site.test', SMTP_URL: 'smtp://127.0.0.1:1' })
const { app, as, ctx, guest, person, sql, work } = world
const under = settingsOn(world)
const groups = groupMaker(world)
const mails: MailMessage[] = []
Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })

let mark = 0
const publish = async (who: Person, text: string, more: object = {}) => {
  mark += 1
  const { status, body } = await as(who, 'POST', '/feeds', {
    feed_content: text,
    feed_from: 1,
    feed_mark: mark,
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id as number
}

async function reader() {
  const ann = await person()
  const email = `${ann.name}@mail.example`
  await sql`update users set email = ${email}, email_key = ${email} where id = ${ann.id}`
  return { ...ann, email }
}

const ask = (who: Person, weekly: boolean, language = 'en') =>
  as(who, 'PATCH', '/user/digest', { weekly }, { 'accept-language': language })
const weekly = async (who: Person) => (await as(who, 'GET', '/user/digest')).body.weekly

/** Lets a week pass for a reader, and returns the mails of the next run. */
async function afterAWeek({ id }: Person) {
  await sql`update digest_readers set since = now() - interval '8 days' where user_id = ${id}`
  mails.length = 0
  await addJob(sql, 'send_digests', {})
  await work()
  return [...mails]
}

test('begins and ends the weekly mail of a user with an e-mail address (notifications-19)', async () => {
  const ann = await reader()
  assert.deepEqual((await as(ann, 'GET', '/user/digest')).body, { offered: true, weekly: false })
  assert.equal((await ask(ann, true)).status, 204)
  assert.equal((await ask(ann, true)).status, 204)
  assert.equal(await weekly(ann), true)
  assert.equal((await ask(ann, false)).status, 204)
  assert.equal(await weekly(ann), false)
  assert.deepEqual(refusalOf(await ask(await person(), true)), [422, 'no_email'])
  await under({ 'mail:weekly': false }, async () => {
    assert.deepEqual(refusalOf(await ask(ann, true)), [403, 'digest_off'])
    assert.equal((await ask(ann, false)).status, 204)
  })
})

test('sends what followed people, topics and groups published, in the language of the reader', async () => {
  const [ann, bob, eve] = [await reader(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  const quiet = await publish(bob, 'A quiet evening')
  const liked = await publish(bob, 'A walk along the river')
  for (const who of [eve, bob]) await as(who, 'POST', `/feeds/${liked}/like`)
  await publish(eve, 'Not followed')
  const group = await groups.group(bob, { name: 'Walkers' })
  await groups.join(group, bob, ann)
  const post = await groups.post(bob, group, { title: 'Where to meet' })
  const topic = await as(bob, 'POST', '/feed/topics', { name: 'Rivers' })
  assert.equal(topic.status, 201, JSON.stringify(topic.body))
  await as(ann, 'PUT', `/user/feed-topics/${topic.body.id}`)
  const inTopic = await publish(eve, 'High water', { topics: [topic.body.id] })
  await publish(ann, 'My own words')
  await ask(ann, true, 'zh')
  const [mail, ...more] = await afterAWeek(ann)
  assert.equal(more.length, 0)
  assert.deepEqual([mail?.to, mail?.subject], [ann.email, '一周精选 · Kith'])
  const text = mail?.text ?? ''
  assert.ok(text.indexOf('A walk along the river') < text.indexOf('A quiet evening'), text)
  assert.ok(
    text.includes(`http://site.test/feeds/${liked}`) && text.includes(`http://site.test/feeds/${quiet}`),
  )
  assert.ok(text.includes(`(${bob.name})`))
  assert.ok(text.includes(`• Where to meet (Walkers)\nhttp://site.test/group-posts/${post}`), text)
  assert.ok(text.includes(`http://site.test/feeds/${inTopic}`), text)
  assert.doesNotMatch(text, /Not followed|My own words/)
  assert.match(mail?.unsubscribe ?? '', /^http:\/\/site\.test\/api\/v2\/digest\/unsubscribe\//)
})

test('omits older feeds, deleted feeds, blocked authors and unreadable groups', async () => {
  const [ann, bob, eve, founder] = [await reader(), await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  const old = await publish(bob, 'Old news')
  await sql`update feeds set created_at = now() - interval '9 days' where id = ${old}`
  const deleted = await publish(bob, 'Deleted words')
  await as(bob, 'DELETE', `/feeds/${deleted}/currency`)
  const { body: topic } = await as(bob, 'POST', '/feed/topics', { name: 'Bridges' })
  await as(ann, 'PUT', `/user/feed-topics/${topic.id}`)
  await publish(eve, 'From a blocked author', { topics: [topic.id] })
  await as(ann, 'POST', `/user/black/${eve.id}`)
  const closed = await groups.group(founder, { mode: 'private' })
  await groups.post(founder, closed, { title: 'Secret of the group' })
  const left = await groups.group(founder)
  await groups.join(left, founder, ann)
  await groups.post(founder, left, { title: 'Before the ban' })
  await sql`update group_members set disabled = true where group_id = ${left} and user_id = ${ann.id}`
  await sql`update groups set mode = 'private' where id = ${left}`
  await publish(bob, 'Fresh words')
  await ask(ann, true)
  const [mail] = await afterAWeek(ann)
  assert.match(mail?.text ?? '', /Fresh words/)
  assert.doesNotMatch(
    mail?.text ?? '',
    /Old news|Deleted words|From a blocked author|Secret of the group|Before the ban/,
  )
})

test('sends no mail for a week without news, and one mail when two runs race', async () => {
  const [ann, bob] = [await reader(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await ask(ann, true)
  assert.deepEqual(await afterAWeek(ann), [])
  await publish(bob, 'Hello again')
  await sql`update digest_readers set since = now() - interval '8 days' where user_id = ${ann.id}`
  mails.length = 0
  let runs: Promise<unknown> | undefined
  await transaction(sql, async (tx) => {
    await tx`select from digest_readers where user_id = ${ann.id} for update`
    runs = Promise.all([sendDigests(ctx, SITE.digests), sendDigests(ctx, SITE.digests)])
    await untilWaiting(sql, 2)
  })
  await runs
  await work()
  assert.equal(mails.filter(({ to }) => to === ann.email).length, 1)
  // The next mail is due a week later.
  await addJob(sql, 'send_digests', {})
  await work()
  assert.equal(mails.length, 1)
})

test('sends no mail to a disabled account, and none while the setting is off', async () => {
  const [ann, bob] = [await reader(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await publish(bob, 'Unsent')
  await ask(ann, true)
  await under({ 'mail:weekly': false }, async () => assert.deepEqual(await afterAWeek(ann), []))
  await sql`update users set deleted_at = now() where id = ${ann.id}`
  assert.deepEqual(await afterAWeek(ann), [])
})

test('ends the weekly mail with one click, signed out, and refuses a forged token', async () => {
  const [ann, bob] = [await reader(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  await publish(bob, 'Something')
  await ask(ann, true)
  const [mail] = await afterAWeek(ann)
  const path = new URL(mail?.unsubscribe ?? '').pathname
  const oneClick = () =>
    app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
  const opened = await app.inject({ url: path })
  assert.equal(opened.statusCode, 302)
  const page = String(opened.headers.location).slice('http://site.test'.length)
  assert.match(
    (await app.inject({ url: page, headers: { accept: 'text/html' } })).body,
    /End the weekly mail/,
  )
  // Opening the page changes nothing, because mail programs open links in advance.
  assert.equal(await weekly(ann), true)
  assert.equal((await oneClick()).statusCode, 204)
  assert.equal(await weekly(ann), false)
  assert.equal((await oneClick()).statusCode, 204)
  const token = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  for (const forged of [token.replace(/^\d+/, String(bob.id)), `${token}x`, 'x', `${ann.id}-`])
    assert.equal(
      (await guest('POST', `/digest/unsubscribe/${encodeURIComponent(forged)}`)).status,
      404,
      forged,
    )
  assert.equal((await guest('GET', '/digest/unsubscribe/x')).status, 404)
  await ask(ann, true)
  const posted = await app.inject({
    method: 'POST',
    url: '/unsubscribe',
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://site.test',
      'sec-fetch-site': 'same-origin',
    },
    payload: new URLSearchParams({ token }).toString(),
  })
  assert.match(posted.body, /You will receive no more weekly mails/)
  assert.equal(await weekly(ann), false)
})

test('puts the address of the one-click request into the header of the mail', async (t) => {
  const { url, letters } = await mailServer(t)
  const mail = createMail({ smtpUrl: url, mailFrom: 'kith@site.example' }, createLog({ level: 'silent' }))
  const address = 'https://site.example/api/v2/digest/unsubscribe/7-v1.x'
  const letter = { to: 'jo@mail.example', subject: 'x', text: 'x', kind: 'message' } as const
  await mail.send({ ...letter, unsubscribe: address })
  await mail.send(letter)
  await mail.close()
  const [first = '', second = ''] = letters.map((text) => text.replace(/\n[ \t]+/g, ' '))
  assert.ok(first.includes(`List-Unsubscribe: <${address}>`), first.slice(0, 900))
  assert.ok(first.includes('List-Unsubscribe-Post: List-Unsubscribe=One-Click'))
  assert.doesNotMatch(second, /List-Unsubscribe/)
})
