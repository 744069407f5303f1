import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fresh, signUpsOn } from '#test/sign-up.ts'
import { buildSite, cookieOf, unsafeForms } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const ORIGIN = 'http://kith.test'
const world = await createWorld({ WEB: 'on', PUBLIC_URL: ORIGIN })
const { app, as, person } = world
const { codeFor } = signUpsOn(world)
const PASSWORD = 'correct horse'

const withoutUndefined = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >

async function post(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string | undefined> = {},
) {
  const answer = await app.inject({
    method: 'POST',
    url: path,
    payload: new URLSearchParams(fields).toString(),
    headers: withoutUndefined({
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      origin: ORIGIN,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      ...headers,
    }),
  })
  const set = String(answer.headers['set-cookie'] ?? '')
  return {
    status: answer.statusCode,
    location: answer.headers.location,
    page: answer.body,
    clears: answer.headers['clear-site-data'],
    cookie: set.split(';')[0] as string,
  }
}

const pageFor = async (cookie: string, path = '/') =>
  (await app.inject({ method: 'GET', url: path, headers: { accept: 'text/html', cookie } })).body

const withPassword = async (): Promise<Person> => {
  const ada = await person()
  await as(ada, 'PUT', '/user/password', { password: PASSWORD, password_confirmation: PASSWORD })
  return ada
}

test('signs in with a form without scripts and leads to the next page', async () => {
  const ada = await withPassword()
  const wrong = await post('/sign-in?next=%2Fnews', { login: ada.name, password: 'wrong horse' })
  assert.deepEqual([wrong.status, wrong.cookie], [422, ''])
  assert.match(wrong.page, /role="alert"/)
  assert.ok(wrong.page.includes(`value="${ada.name}"`) && !wrong.page.includes('wrong horse'))
  const done = await post('/sign-in?next=%2Fnews', { login: ada.name, password: PASSWORD })
  assert.deepEqual([done.status, done.location], [303, '/news'])
  assert.ok((await pageFor(done.cookie)).includes('action="/sign-out"'))
  const out = await post('/sign-out', {}, { cookie: done.cookie })
  // Deletes the drafts, which scripts delete otherwise.
  assert.equal(out.clears, '"storage"')
  assert.deepEqual([out.status, out.location, out.cookie], [303, '/', 'kith_session='])
  assert.ok(!(await pageFor(done.cookie)).includes('action="/sign-out"'))
})

test('leads only to pages of the site after signing in', async () => {
  const ada = await withPassword()
  for (const next of [
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/%09/evil.test',
    '\\evil.test',
    'https://evil.test',
    'javascript:x',
    '/..//evil.test',
    '/.//evil.test',
    '/x/..//evil.test',
    '@evil.test',
    '/\u0000/evil.test',
    '/\n/evil.test',
  ]) {
    const path = `/sign-in?next=${encodeURIComponent(next)}`
    const { location } = await post(path, { login: ada.name, password: PASSWORD })
    const { origin, pathname } = new URL(String(location), ORIGIN)
    assert.ok(origin === ORIGIN && !pathname.startsWith('//'), `${JSON.stringify(next)} led to ${location}`)
  }
  const twice = await post('/sign-in?next=%2F%2509%2Fevil.test', { login: ada.name, password: PASSWORD })
  assert.equal(new URL(String(twice.location), ORIGIN).origin, ORIGIN)
  const { location } = await post(`/sign-in?next=${encodeURIComponent('/search?q=a b&type=news#x')}`, {
    login: ada.name,
    password: PASSWORD,
  })
  assert.equal(location, '/search?q=a%20b&type=news#x')
})

test('rejects forms of other sites, and names the address of the site', async () => {
  const ada = await withPassword()
  const fields = { login: ada.name, password: PASSWORD }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', origin: 'http://evil.test' },
    { 'sec-fetch-site': 'same-site', origin: 'http://other.kith.test' },
    { 'sec-fetch-site': undefined, origin: 'http://evil.test' },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined, origin: undefined },
  ]) {
    const answer = await post('/sign-in', fields, headers)
    assert.deepEqual([answer.status, answer.cookie], [422, ''], JSON.stringify(headers))
    const signOut = await post('/sign-out', {}, { ...headers, cookie: cookieOf(ada) })
    assert.deepEqual([signOut.status, signOut.cookie], [403, ''], JSON.stringify(headers))
  }
  const elsewhere = await post('/sign-in', fields, {
    'sec-fetch-site': undefined,
    origin: 'http://192.0.2.1:3000',
  })
  assert.match(
    elsewhere.page,
    /opened at http:\/\/192\.0\.2\.1:3000, but the address of the site is http:\/\/kith\.test/,
  )
  const www = await post('/sign-in', fields, { origin: 'https://www.kith.test' })
  assert.equal(www.status, 303)
})

async function register() {
  const { name, email } = fresh()
  const asked = await post('/join', { email })
  const code = String(await codeFor(email, '/verifycodes/register'))
  const wrong = await post('/join', { email, name, password: PASSWORD, code: '0000' })
  const done = await post('/join', { email, name, password: PASSWORD, code })
  return { name, email, asked, wrong, done }
}

test('registers with forms without scripts', async () => {
  const { name, email, asked, wrong, done } = await register()
  assert.equal(asked.status, 200)
  assert.ok(asked.page.includes(`value="${email}"`) && asked.page.includes('name="code"'))
  assert.equal(wrong.status, 422)
  assert.ok(wrong.page.includes(`value="${name}"`) && !wrong.page.includes(PASSWORD))
  assert.deepEqual([done.status, done.location], [303, '/'])
  assert.ok((await pageFor(done.cookie)).includes('action="/sign-out"'))
})

test('resets a password with forms without scripts', async () => {
  const { name, email } = await register()
  const unknown = await post('/forgotten-password', { address: 'nobody@example.org' })
  assert.equal(unknown.status, 422)
  const asked = await post('/forgotten-password', { address: email })
  assert.equal(asked.status, 200)
  const code = String(await codeFor(email, '/verifycodes'))
  const fields = { address: email, code, password: 'another horse' }
  const done = await post('/forgotten-password', fields)
  assert.deepEqual([done.status, done.location], [303, '/sign-in?reset=1'])
  assert.match(await pageFor('', '/sign-in?reset=1'), /Your password was changed/)
  assert.equal((await post('/sign-in', { login: name, password: 'another horse' })).status, 303)
})

test('sends no form of a page before scripts run, except searches and those that work without them', async () => {
  const ada = await withPassword()
  const member = [
    ...['/', '/more', '/settings', '/account/security', '/account/sessions', '/account/exports'],
    ...['/account/certification', '/account/invitations', '/notifications/preferences', '/questions/ask'],
    ...['/groups/new', '/topics', '/chats', '/chats/new', '/search', '/wallet/withdraw', '/wallet/exchange'],
  ]
  let forms = 0
  for (const [path, cookie] of [
    ...['/sign-in', '/join', '/forgotten-password'].map((each) => [each, '']),
    ...member.map((each) => [each, cookieOf(ada)]),
  ] as [string, string][]) {
    const page = await pageFor(cookie, path)
    assert.doesNotMatch(page, /Page not found/, path)
    const { seen, unsafe } = unsafeForms(path, page)
    assert.deepEqual(unsafe, [])
    forms += seen
  }
  assert.ok(forms > 25, `saw only ${forms} forms`)
})

test('sends a form to any spelling of its path', async () => {
  const ada = await withPassword()
  for (const path of ['/sign-in/', '/sign%2Din', '/%73ign-in/?next=%2Fnews']) {
    const answer = await post(path, { login: ada.name, password: PASSWORD })
    assert.deepEqual([answer.status, answer.location], [303, path.includes('?') ? '/news' : '/'], path)
  }
  assert.equal((await post('/forgotten%2Dpassword/', { address: 'nobody@example.org' })).status, 422)
})

test('shows the form again when its body cannot be read', async () => {
  for (const [payload, type] of [
    ['{', 'application/json'],
    [`login=${'x'.repeat(20_000)}`, 'application/x-www-form-urlencoded'],
    ['<login/>', 'application/xml'],
  ] as const) {
    const answer = await app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { accept: 'text/html', 'content-type': type, origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
      payload,
    })
    assert.equal(answer.statusCode, 422, answer.body.slice(0, 200))
    assert.match(String(answer.headers['content-type']), /^text\/html/)
    assert.match(answer.body, /<form[^>]+method="post"/)
    assert.match(answer.body, /class="failure"[^>]*>[^<]+/)
  }
})

test('answers a page for unusual addresses of guests', async () => {
  for (const [url, status] of [
    ['//', 404],
    ['//evil.test/x', 404],
    ['/sitemaps/__proto__-0.xml', 404],
    ['/sitemaps/constructor-0.xml', 404],
    ['/sitemaps/toString-0.xml', 404],
    ['/%', 404],
    ['/%E4', 404],
  ] as const) {
    const answer = await app.inject({ method: 'GET', url, headers: { accept: 'text/html' } })
    assert.ok(answer.statusCode === status || answer.statusCode === 400, `${url}: ${answer.statusCode}`)
  }
})

test('leaves the limit of the API to guests who opened many pages (conventions-12)', async () => {
  const { app: limited } = await createWorld({
    WEB: 'on',
    PUBLIC_URL: ORIGIN,
    RATE_LIMIT_ANONYMOUS: '3',
    RATE_LIMIT_PAGES: '5',
  })
  const open = async (n: number) =>
    (await limited.inject({ url: `/search?q=${n}`, headers: { accept: 'text/html' } })).statusCode
  const ask = async () => (await limited.inject({ url: '/api/v2/feeds' })).statusCode
  const times = async (count: number, act: (n: number) => Promise<number>) => {
    const statuses: number[] = []
    for (let n = 0; n < count; n += 1) statuses.push(await act(n))
    return statuses
  }
  assert.deepEqual(await times(6, open), [200, 200, 200, 200, 200, 429])
  assert.deepEqual(await times(4, ask), [200, 200, 200, 429])
})

test('answers 429 to a forged session beyond the limit', async () => {
  const { app: limited } = await createWorld({ WEB: 'on', PUBLIC_URL: ORIGIN, RATE_LIMIT_ANONYMOUS: '6' })
  const cookie = `kith_session=${'x'.repeat(40)}.${Math.floor(Date.now() / 1000) + 3600}`
  const statuses = new Set<number>()
  for (let n = 0; n < 12; n += 1)
    statuses.add(
      (
        await limited.inject({
          method: 'GET',
          url: `/search?q=${n}`,
          headers: { accept: 'text/html', cookie },
        })
      ).statusCode,
    )
  assert.ok(statuses.has(429), [...statuses].join())
  assert.ok(!statuses.has(500), [...statuses].join())
})
