import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { mailSender } from '#modules/mail/index.ts'
import { defaultSender, type MailMessage, mailHtml } from '#modules/mail/mail.ts'
import { alertAccountOwner } from '#modules/mail/messages.ts'
import { notify } from '#modules/notifications/index.ts'
import { SYSTEM_NOTICES, SYSTEM_TYPES } from '#modules/notifications/system/notices.ts'
import { pushSender } from '#modules/push/push-services.ts'
import type { PushMessage } from '#modules/push/sender.ts'
import { smsSender } from '#modules/text-messages/index.ts'
import type { TextMessage } from '#modules/text-messages/services/text-service.ts'
import { exportsOn } from '#test/fixtures/exports.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { settingsOn } from '#test/sign-up.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://site.test', SITE_NAME: 'Riverside' })
const { app, as, ctx, guest, person, sql, work } = world
const under = settingsOn(world)
const { owner, exportOf } = await exportsOn(world)

const mails: MailMessage[] = []
const pushed: PushMessage[] = []
const texts: TextMessage[] = []
Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })
Object.assign(smsSender(ctx), {
  async send(message: TextMessage) {
    texts.push(message)
    return { service: 'outbox', reference: null, refusals: [] }
  },
})
pushSender(ctx).send = async (messages) => {
  pushed.push(...messages)
  return { gone: [] }
}

const NAME = /\bKith\b|\bKITH\b|\bkith@/g
const RECHARGE = { type: 'manual', amount: 40 }

const SOFTWARE = /Powered by Kith|由 Kith 驱动/g

const openPage = async (url: string, headers: Record<string, string> = {}) => {
  const reply = await app.inject({ method: 'GET', url, headers: { accept: 'text/html', ...headers } })
  return { status: reply.statusCode, body: reply.body, headers: reply.headers }
}

type Filled = { ann: Person & { email: string }; ids: Record<string, number> }
let filled: Filled

before(async () => {
  const ann = await owner({ roles: ['founder'] })
  const { publish } = feedsOf(world)
  const editor = await newsEditor(world)
  const { group, post } = groupMaker(world)
  const groupId = await group(ann)
  filled = {
    ann,
    ids: {
      feed: await publish(ann, { feed_content: 'Good morning' }),
      news: await createNews(world, editor, ann, { category_id: await createCategory(world, editor) }),
      question: await questionsOf(world).ask(ann, {}),
      user: ann.id,
      group: groupId,
      post: await post(ann, groupId),
    },
  }
})

/** Every page of the site, with the ids of the fixture. Pages of things that the fixture lacks reply 404. */
const sitePages = () =>
  globSync('web/src/modules/*/routes.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\{ path: '([^']+)',\s+page: /g)].map(([, path = '']) =>
      path.replace(/:(\w+)/g, (_, name: string) => String(filled.ids[name] ?? 1)),
    ),
  )

const DOCUMENTS = ['/manifest.webmanifest', '/feeds.atom', '/news.atom', '/robots.txt', '/sitemap.xml']

async function siteTexts(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const { ids } = filled
  const reader = await person()
  const pages = sitePages()
  assert.ok(pages.length > 50, `${pages.length} pages`)
  for (const path of [
    ...pages,
    ...DOCUMENTS,
    '/api/v2/aboutus',
    '/api/v2/openapi.json',
    '/docs',
    '/admin',
    '/nothing-here',
  ]) {
    found.set(path, (await openPage(path)).body)
    found.set(`${path} zh`, (await openPage(path, { 'accept-language': 'zh' })).body)
    found.set(`${path} of a member`, (await openPage(path, { cookie: cookieOf(reader) })).body)
  }
  for (const path of [`/feeds/${ids.feed}`, `/news/${ids.news}`, `/questions/${ids.question}`]) {
    const url = `/oembed?url=${encodeURIComponent(`http://site.test${path}`)}`
    found.set(`oEmbed of ${path}`, (await openPage(url, { accept: 'application/json' })).body)
  }
  for (const path of ['/docs/mark.svg', '/favicon.svg', ...iconsOf(found.get('/') ?? '')])
    found.set(path, (await openPage(path, { accept: '*/*' })).body)
  found.set('landing', (await openPage('/', { accept: 'application/json' })).body)
  return found
}

const iconsOf = (html: string) =>
  [...html.matchAll(/<link rel="(?:icon|apple-touch-icon)"[^>]* href="([^"]+)"/g)].map(([, url = '']) => url)

async function apiTexts(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  // Some reads end the session, such as those that older clients sign out with.
  const reader = await person({ roles: ['founder'] })
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, unknown>>
  }
  const reads = Object.entries(paths).filter(([path, verbs]) => verbs.get && !path.includes('{'))
  for (const [path] of reads) {
    const url = path.replace('/api/v2', '')
    if (/stream|events|watch/.test(url)) continue
    found.set(url, JSON.stringify((await as(reader, 'GET', url)).body))
  }
  assert.ok(found.size > 100, `${found.size} operations`)
  return found
}

/** Sends a mail of each kind, a code by mail and by text message, a push message and an export. */
async function messages(): Promise<Map<string, string>> {
  const { ann } = filled
  mails.length = 0
  texts.length = 0
  pushed.length = 0
  await as(ann, 'PUT', '/user/devices', { token: `phone-of-${ann.id}`, platform: 'ios' })
  const cause = { type: 'users', id: ann.id }
  const data = { type: 'account:changed', state: 'password' } as const
  await notify(sql, { type: 'system', recipients: [ann.id], senderId: 0, cause, data })
  await sql`update verification_codes set created_at = created_at - interval '1 hour'`
  assert.equal((await guest('POST', '/verifycodes/register', { email: 'new@mail.example' })).status, 202)
  assert.equal((await guest('POST', '/verifycodes/register', { phone: '13800138000' })).status, 202)
  await alertAccountOwner(ctx, sql, ann.id, 'password')
  await work()
  const factor = await as(ann, 'POST', '/user/second-factor', { password: 'correct horse' })
  const notices = await as(ann, 'GET', '/user/notifications?type=system')
  return new Map([
    ...mails.map((mail) => [`mail ${mail.subject}`, `${JSON.stringify(mail)}${mailHtml(mail)}`] as const),
    ...texts.map((text) => ['text message', JSON.stringify(text)] as const),
    ...pushed.map((message) => [`push ${message.token}`, JSON.stringify(message)] as const),
    ['authenticator', JSON.stringify(factor.body)],
    ['recharge', JSON.stringify((await as(ann, 'POST', '/wallet/recharge', RECHARGE)).body)],
    ['sender of mails', defaultSender('smtp://mail.site.test', 'https://site.test')],
    ['notifications', JSON.stringify(notices.body)],
  ])
}

const namesIn = (found: Map<string, string>) =>
  [...found].flatMap(([where, text]) => {
    const [name] = text.replace(SOFTWARE, '').match(NAME) ?? []
    return name === undefined ? [] : [`${where}: …${excerptOf(text.replace(SOFTWARE, ''))}…`]
  })

function excerptOf(text: string): string {
  const at = text.search(NAME)
  return text.slice(Math.max(0, at - 60), at + 60)
}

test('names the software of a renamed site only as “powered by”', async () => {
  const found = new Map([...(await siteTexts()), ...(await apiTexts()), ...(await messages())])
  assert.deepEqual(namesIn(found), [])
  assert.match(found.get('/') ?? '', /Powered by Kith/)
  assert.match(found.get('/ zh') ?? '', /由 Kith 驱动/)
})

test('does not name the software when `site:powered-by` is off', async () => {
  await under({ 'site:powered-by': false }, async () => {
    const found = new Map([...(await siteTexts()), ...(await messages())])
    for (const [where, text] of found) assert.doesNotMatch(text, NAME, where)
  })
})

test('shows the name of the site in the language of the reader', async () => {
  await under({ 'site:name': 'Harbour', 'site:name-zh': '海港' }, async () => {
    const english = (await openPage('/topics')).body
    const chinese = (await openPage('/topics', { 'accept-language': 'zh' })).body
    assert.match(english, /<title>[^<]+ · Harbour<\/title>[\s\S]*<span>Harbour<\/span>/)
    assert.match(english, /property="og:site_name" content="Harbour"/)
    assert.match(chinese, /<title>[^<]+ · 海港<\/title>[\s\S]*<span>海港<\/span>/)
    assert.match(
      (await openPage('/')).body,
      /<title>Harbour<\/title>[\s\S]*"@type":"WebSite","name":"Harbour"/,
    )
    assert.equal(JSON.parse((await openPage('/manifest.webmanifest')).body).short_name, 'Harbour')
    assert.match((await openPage('/feeds.atom')).body, /<title>Harbour<\/title>/)
    const oembed = `/oembed?url=${encodeURIComponent(`http://site.test/feeds/${filled.ids.feed}`)}`
    assert.equal(JSON.parse((await openPage(oembed)).body).provider_name, 'Harbour')
    assert.match((await openPage('/docs')).body, /<title>Harbour API<\/title>/)
    const found = await messages()
    assert.match(found.get('authenticator') ?? '', /otpauth:\/\/totp\/Harbour:[^"]*issuer=Harbour/)
    assert.match(found.get('notifications') ?? '', /"sender":\{"id":0,"name":"Harbour"\}/)
    assert.match(found.get(`push phone-of-${filled.ann.id}`) ?? '', /"title":"Harbour"/)
    const code = mails.find(({ kind }) => kind === 'verification')
    assert.equal(code?.subject, 'Verification code · Harbour')
    assert.match(code?.text ?? '', /^Your verification code for Harbour is \d{6}\./)
    assert.equal(code?.site?.name, 'Harbour')
    assert.equal(texts[0]?.site, 'Harbour')
  })
})

test('names the site in system push messages of every kind, and the software in none', async () => {
  const [ann, bob] = [await person(), await person()]
  const device = { platform: 'ios' }
  for (const [token, language] of [
    ['english-phone', 'en'],
    ['chinese-phone', 'zh'],
  ] as const)
    await as(ann, 'PUT', '/user/devices', { ...device, token }, { 'accept-language': language })
  const system = SYSTEM_TYPES.flatMap((type) =>
    Object.keys(SYSTEM_NOTICES[type].texts).map((state) => ({ type, state })),
  )
  assert.ok(system.length > 40, `${system.length} kinds`)
  const others = ['at', 'comment', 'like', 'follow'] as const
  pushed.length = 0
  await under({ 'site:name': 'Harbour', 'site:name-zh': '海港' }, async () => {
    for (const [n, data] of system.entries()) {
      const cause = { type: 'users', id: 10_000 + n }
      await notify(sql, { type: 'system', recipients: [ann.id], senderId: 0, cause, data })
    }
    for (const [n, type] of others.entries()) {
      const cause = { type: 'users', id: 20_000 + n }
      await notify(sql, { type, recipients: [ann.id], senderId: bob.id, cause, data: {} })
    }
    await work()
  })
  for (const [token, name] of [
    ['english-phone', 'Harbour'],
    ['chinese-phone', '海港'],
  ] as const) {
    const sent = pushed.filter((message) => message.token === token)
    assert.equal(sent.length, system.length + others.length)
    for (const { title, data } of sent) if (data.type === 'system') assert.equal(title, name)
    assert.doesNotMatch(JSON.stringify(sent), NAME)
  }
})

test('names the site in a data export', async () => {
  await under({ 'site:name': 'Harbour' }, async () => {
    const { files } = await exportOf(filled.ann)
    assert.match(String(files.get('index.html')), /Exported from Harbour \(http:\/\/site\.test\)/)
    assert.equal(JSON.parse(String(files.get('index.json'))).site_name, 'Harbour')
    for (const [path, bytes] of files) assert.doesNotMatch(String(bytes), NAME, path)
  })
})

test('escapes the name of the site in pages, feeds and mails', async () => {
  const name = `<b>"A" & 'B'`
  await under({ 'site:name': name }, async () => {
    for (const path of ['/', '/feeds.atom', '/api/v2/aboutus', '/docs', '/admin'])
      assert.doesNotMatch((await openPage(path)).body.replace(/<script[\s\S]*?<\/script>/g, ''), /<b>/, path)
    assert.equal(JSON.parse((await openPage('/manifest.webmanifest')).body).name, name)
    assert.doesNotMatch((await messages()).values().next().value?.split('<!doctype')[1] ?? '', /<b>/)
  })
})

test('shows the welcome text, the contact and the imprint', async () => {
  const changes = {
    'site:welcome': 'Neighbours of the river',
    'site:contact': 'host@site.test',
    'site:imprint': 'River Society, 1 Quay',
    'site:description': 'What happens by the river.',
  }
  await under(changes, async () => {
    const page = (await openPage('/')).body
    assert.match(page, /Neighbours of the river/)
    assert.equal(
      JSON.parse((await openPage('/manifest.webmanifest')).body).description,
      changes['site:description'],
    )
    assert.match((await openPage('/api/v2/aboutus')).body, /Contact<\/h2>[\s\S]*host@site\.test[\s\S]*1 Quay/)
  })
})

test('names points in the language of the reader unless the site names them', async () => {
  const nameFor = async (language: string) =>
    (await guest('GET', '/bootstrappers', undefined, { 'accept-language': language })).body.site.currency_name
      .name
  assert.deepEqual([await nameFor('en'), await nameFor('zh')], ['Points', '积分'])
  await under({ 'site:currency-name': 'Shells' }, async () =>
    assert.deepEqual([await nameFor('en'), await nameFor('zh')], ['Shells', 'Shells']),
  )
})

test('embeds less than a kilobyte of identity in a page', async () => {
  const { body } = await guest('GET', '/bootstrappers')
  assert.ok(JSON.stringify(body.identity).length < 1024)
})
