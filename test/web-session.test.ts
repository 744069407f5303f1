import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

await buildSite()
const { app, as, person, guest, sql } = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const SITE = { 'x-kith-site': '1', origin: 'http://kith.test', 'sec-fetch-site': 'same-origin' }

const browse = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  headers: Record<string, string>,
  payload?: object,
) => app.inject({ method, url, headers, ...(payload ? { payload } : {}) })

test('accepts the session cookie only for requests of the site', async () => {
  const ada = await person()
  const cookie = cookieOf(ada)
  const publish = (headers: Record<string, string>) =>
    browse(
      'POST',
      '/api/v2/feeds',
      { cookie, ...headers },
      { feed_content: 'x', feed_from: 1, feed_mark: crypto.randomUUID() },
    )
  assert.equal((await publish(SITE)).statusCode, 201)
  const { 'x-kith-site': _, ...unmarked } = SITE
  for (const headers of [
    {},
    unmarked,
    { 'x-kith-site': '1', origin: 'http://evil.test' },
    { 'x-kith-site': '1', origin: 'null' },
    { ...SITE, 'sec-fetch-site': 'cross-site' },
    { ...SITE, 'sec-fetch-site': 'same-site' },
    { 'x-kith-site': '1' },
  ])
    assert.equal((await publish(headers as Record<string, string>)).statusCode, 401, JSON.stringify(headers))
  const stream = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }
  assert.equal((await browse('GET', '/api/v2/user', { cookie, ...stream })).statusCode, 200)
  assert.equal(
    (await browse('GET', '/api/v2/user', { cookie, 'sec-fetch-site': 'same-origin' })).statusCode,
    401,
  )
  assert.equal(
    (await browse('GET', '/api/v2/user', { cookie, 'sec-fetch-site': 'cross-site' })).statusCode,
    401,
  )
  assert.equal((await browse('GET', '/api/v2/user', { cookie })).statusCode, 401)
})

test('hides the token of a session from scripts', async () => {
  const ada = await person()
  await as(ada, 'PUT', '/api/v2/user/password', {
    password: 'correct horse',
    password_confirmation: 'correct horse',
  })
  const body = { login: ada.name, password: 'correct horse' }
  assert.equal((await browse('POST', '/_/session/auth/login', {}, body)).statusCode, 403)
  assert.equal((await browse('POST', '/_/session/feeds', SITE, body)).statusCode, 404)
  assert.equal(
    (await browse('POST', '/_/session/auth/login', SITE, { ...body, password: 'wrong horse' })).statusCode,
    422,
  )
  const signedIn = await browse('POST', '/_/session/auth/login', SITE, body)
  assert.deepEqual([signedIn.statusCode, signedIn.body], [204, ''])
  const set = String(signedIn.headers['set-cookie'])
  assert.match(set, /^kith_session=[\w-]+\.\d+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  const cookie = set.split(';')[0] as string
  assert.equal((await browse('GET', '/api/v2/user', { ...SITE, cookie })).json().name, ada.name)
  assert.equal((await browse('DELETE', '/_/session', { ...SITE, cookie })).statusCode, 204)
  assert.equal((await browse('GET', '/api/v2/user', { ...SITE, cookie })).statusCode, 401)
})

test('refreshes a token that expires soon', async () => {
  const ada = await person()
  const old = `kith_session=${ada.token}.${Math.floor(Date.now() / 1000) + 10}`
  const answer = await browse('GET', '/api/v2/user', { ...SITE, cookie: old })
  assert.equal(answer.statusCode, 200)
  const next = String(answer.headers['set-cookie']).split(';')[0] as string
  assert.ok(next.startsWith('kith_session=') && !next.includes(ada.token))
  assert.equal((await browse('GET', '/api/v2/user', { ...SITE, cookie: next })).statusCode, 200)
})

test('refreshes an expired token that was issued while the clock was ahead', async (t) => {
  const ada = await person()
  await sql`update tokens set expires_at = now() - interval '1 second' where user_id = ${ada.id}`
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 2 * 86_400_000)
  const cookie = cookieOf(ada)
  t.mock.restoreAll()
  const answer = await browse('GET', '/api/v2/user', { ...SITE, cookie })
  assert.equal(answer.json().name, ada.name)
  const next = String(answer.headers['set-cookie']).split(';')[0] as string
  assert.ok(!next.includes(ada.token))
})

test('renders different pages for guests and members', async () => {
  const ada = await person()
  const { body } = await as(ada, 'POST', '/api/v2/feeds', {
    feed_content: 'Hello & <welcome>',
    feed_from: 1,
    feed_mark: 1,
  })
  const html = { accept: 'text/html' }
  const shown = await browse('GET', `/feeds/${body.id}`, html)
  assert.equal(shown.statusCode, 200)
  assert.match(shown.body, /Hello &amp; &lt;welcome>|Hello &amp; &lt;welcome&gt;/)
  assert.match(shown.body, /property="og:title"/)
  assert.match(shown.body, /"@type":"DiscussionForumPosting"/)
  const policy = String(shown.headers['content-security-policy'])
  const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(policy) ?? []
  assert.ok(shown.body.includes(`nonce="${nonce}"`) && !policy.includes('unsafe'))
  assert.notEqual((await browse('GET', `/feeds/${body.id}`, html)).headers['content-security-policy'], policy)
  const mine = await browse('GET', '/', { ...html, cookie: cookieOf(ada) })
  assert.equal(mine.headers['cache-control'], 'private, no-store')
  assert.ok(mine.body.includes('What is happening?') && !shown.body.includes('What is happening?'))
  const own = await browse('GET', '/me', { ...html, cookie: cookieOf(ada) })
  assert.match(own.body, /Hello &amp; &lt;welcome/)
  assert.equal((await browse('GET', '/feeds/999999', html)).statusCode, 404)
  assert.equal((await browse('GET', '/nowhere', html)).statusCode, 404)
  assert.equal((await browse('GET', '/following', html)).headers.location, '/sign-in?next=%2Ffollowing')
  assert.match((await browse('GET', '/', { ...html, 'accept-language': 'zh' })).body, /lang="zh-CN"/)
})

test('serves API responses unchanged when the site is enabled', async () => {
  assert.equal((await browse('GET', '/', { accept: 'application/json' })).json().api, '/api/v2')
  assert.equal((await guest('GET', '/api/v2/nowhere')).status, 404)
  const unknown = await guest('GET', '/nowhere', undefined, { accept: 'application/json' })
  assert.deepEqual([unknown.status, unknown.headers['x-error-code']], [404, 'no_such_path'])
  assert.equal(
    (await browse('GET', '/api/v2/nowhere', { accept: 'text/html' })).headers['x-error-code'],
    'no_such_path',
  )
})
