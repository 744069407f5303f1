import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailSender } from '#modules/mail/index.ts'
import { pushSender } from '#modules/push/push-services.ts'
import { linksOf as siteLinks } from '#modules/settings/index.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { refusalOf, settingsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld({ PUBLIC_WEB_URL: 'https://app.example/' })
const { as, sql, work, outbox, ctx } = world
const { publish } = feedsOf(world)
const under = settingsOn(world)
const ann = await world.person()
const bob = await world.person()
const founder = await world.person({ roles: ['founder'] })

const linksOf = async (who: Person, type: string) =>
  (await as(who, 'GET', `/user/notifications?type=${type}`)).body.data.map(
    ({ link }: { link: string | null }) => link,
  )

test('links a notification to the web page of its content (notifications-17)', async () => {
  const feed = await publish(ann, { feed_content: 'Hello' })
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'Hi' })
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  await as(founder, 'POST', `/admin/users/${ann.id}/sanctions`, { kind: 'warning', reason: 'be kind' })
  assert.deepEqual(await linksOf(ann, 'comment'), [`https://app.example/feeds/${feed}`])
  assert.deepEqual(await linksOf(ann, 'follow'), [`https://app.example/users/${bob.id}`])
  assert.deepEqual(await linksOf(ann, 'system'), ['https://app.example/account/sanctions'])
  const { body } = await as(ann, 'GET', '/user/notification-statistics')
  assert.equal(body.system.first.link, 'https://app.example/account/sanctions')

  await under({ 'site:web-links': ['feeds https://m.example/#/p/{id}'] }, async () => {
    assert.deepEqual(await linksOf(ann, 'comment'), [`https://m.example/#/p/${feed}`])
    assert.deepEqual(await linksOf(ann, 'follow'), [`https://app.example/users/${bob.id}`])
  })
})

test('links to the web client of Kith when no other web client is configured (notifications-17)', () => {
  const own = { publicWebUrl: undefined, publicUrl: 'https://kith.example', web: true }
  const link = siteLinks({ ...ctx.config, ...own }, { 'site:web-links': [] })
  assert.equal(link('feeds', 7), 'https://kith.example/feeds/7')
  assert.equal(link('users', 8), 'https://kith.example/users/8')
  assert.equal(link('account', 'sessions'), 'https://kith.example/account/sessions')
  assert.equal(link('news', 9), 'https://kith.example/news/9')
  assert.equal(link('notices', 9), null)
  assert.equal(siteLinks({ ...ctx.config, ...own, web: false }, { 'site:web-links': [] })('feeds', 7), null)
})

test('returns no link for a notification whose content has no web page (notifications-17)', async () => {
  const dan = await world.person()
  await as(founder, 'POST', '/admin/notices', { user_ids: [dan.id], contents: 'Maintenance tonight' })
  assert.deepEqual(await linksOf(dan, 'system'), [null])
})

test('sends the link of content to devices and webhooks (notifications-17)', async () => {
  const sent: { data: unknown }[] = []
  pushSender(ctx).send = async (messages) => {
    sent.push(...messages)
    return { gone: [] }
  }
  const made = await as(founder, 'POST', '/admin/webhooks', { url: 'https://hooks.example/in', types: null })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await as(ann, 'PUT', '/user/devices', { token: 'a device', platform: 'android' })
  const feed = await publish(ann, { feed_content: 'Hello again' })
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'Hi again' })
  await work()
  const link = `https://app.example/feeds/${feed}`
  assert.ok(JSON.stringify(sent).includes(`"link":"${link}"`), JSON.stringify(sent))
  const events = await sql<{ type: string; body: string }[]>`
    select type, body from webhook_events where type in ('feed.created', 'notification.created') order by id desc`
  assert.ok(events.some(({ type, body }) => type === 'feed.created' && JSON.parse(body).data.link === link))
  const told = events.find(({ type }) => type === 'notification.created')
  assert.equal(JSON.parse(told?.body ?? '{}').data.link, undefined)
})

test('links an e-mail about a password change to the security page of the account (notifications-17)', async () => {
  const carol = await world.person()
  await sql`update users set email = 'carol@example.com', email_key = 'carol@example.com' where id = ${carol.id}`
  const links: (string | undefined)[] = []
  const sender = mailSender(ctx)
  const { send } = sender
  sender.send = async (letter) => {
    links.push(letter.link)
    return send(letter)
  }
  const { status, body } = await as(carol, 'PUT', '/user/password', {
    password: 'correct horse',
    password_confirmation: 'correct horse',
  })
  assert.ok(status < 300, JSON.stringify(body))
  await work()
  sender.send = send
  assert.deepEqual(links, ['https://app.example/account/security'])
  assert.ok(outbox.some(({ to }) => to === 'carol@example.com'))
})

test('rejects an invalid pattern for web links (notifications-17)', async () => {
  const other = await createWorld()
  const [dan, eve] = [await other.person(), await other.person()]
  await other.as(eve, 'PUT', `/user/followings/${dan.id}`)
  const { body } = await other.as(dan, 'GET', '/user/notifications?type=follow')
  assert.equal(body.data[0].link, null)
  for (const wrong of [
    'feeds',
    'feeds https://m.example/p',
    'cars https://m.example/{id}',
    'feeds ftp://m/{id}',
  ])
    assert.deepEqual(
      refusalOf(await as(founder, 'PATCH', '/admin/settings', { 'site:web-links': [wrong] })),
      [422, 'validation_failed'],
    )
})
