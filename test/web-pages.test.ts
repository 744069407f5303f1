import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, look, openSite, TELEPHONE, weigh, weighRoutes } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const HOSTILE = '</script><script>globalThis.hacked = true</script><img src=x onerror="hacked=1">'
const LINES = [
  'The tide was out so far this morning that we walked to the old lighthouse and back. https://harbour.example/tides',
  'Bread day. Three loaves for the neighbours, one for the freezer, none left for the photograph.',
  HOSTILE,
  '周末去爬了香山，红叶正好，山顶风很大，记得多带一件衣服。',
]

async function fill() {
  const { person, as } = site!
  const [ada, lin] = [await person({ name: 'ada_lovelace' }), await person({ name: '林小雨' })]
  const ids: number[] = []
  for (const [n, line] of [
    ...LINES,
    ...Array.from({ length: 18 }, (_, n) => `Note ${n} of a long walk`),
  ].entries()) {
    const body = { feed_content: line, feed_from: 1, feed_mark: n + 1 }
    ids.push((await as(n % 2 ? lin : ada, 'POST', '/api/v2/feeds', body)).body.id)
  }
  const [first = 0] = ids
  await as(lin, 'POST', `/api/v2/feeds/${first}/comments`, { body: 'Bring boots the next time.' })
  return { ada, lin, ids, first, hostile: ids[2] as number }
}
const filled = site ? await fill() : undefined

test('escapes HTML in user content', { skip }, async () => {
  const page = await site!.open(`/feeds/${filled!.hostile}`)
  await page.locator('article').getByText('hacked').waitFor()
  assert.equal(await page.evaluate('globalThis.hacked'), undefined)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test("keeps the menu at the bottom of a phone's screen", { skip }, async () => {
  const page = await site!.open('/', TELEPHONE)
  const menu = await page.getByRole('navigation', { name: 'Main menu' }).boundingBox()
  assert.equal(Math.round((menu?.y ?? 0) + (menu?.height ?? 0)), 844)
  await page.getByRole('link', { name: 'Kith', exact: true }).click({ trial: true })
  await look(page, 'telephone')
  await page.context().close()
})

test('hydrates a server-rendered page without API requests', { skip }, async () => {
  const page = await site!.open('/sign-in')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${site!.address}/feeds/${filled!.first}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByText('Bring boots the next time.').waitFor()
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/api/')),
    [],
  )
  await page.context().close()
})

test('renders pages for guests without JavaScript', { skip }, async () => {
  const page = await site!.open('/', { javaScriptEnabled: false, ...TELEPHONE })
  assert.equal(await page.locator('article').count(), 15)
  await page.getByRole('link', { name: 'Show more' }).click()
  await page.getByText('The tide was out so far').waitFor()
  await page.locator('article').filter({ hasText: 'The tide was out' }).locator('.time').click()
  await page.getByText('Bring boots the next time.').waitFor()
  await page.context().close()
})

test('lets a member publish, like and comment in the browser', { skip }, async () => {
  await site!.as(filled!.ada, 'PUT', '/api/v2/user/password', {
    password: 'correct horse',
    password_confirmation: 'correct horse',
  })
  const page = await site!.open('/sign-in?next=%2Fhot')
  await page.getByLabel('Username, e-mail or phone').fill('ada_lovelace')
  await page.getByLabel('Password').fill('wrong horse')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${site!.address}/hot`)
  assert.equal(await page.evaluate('document.cookie.includes("kith_session")'), false)
  await page.goto(site!.address)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('What is happening?').fill('Written in the browser')
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
  assert.equal(await page.getByLabel('What is happening?').inputValue(), 'Written in the browser')
  await look(page, 'member-home')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Publish' }).click()
  const article = page.locator('article').filter({ hasText: 'Written in the browser' })
  await article.waitFor()
  await article.getByRole('button', { name: /^Like/ }).click()
  await article.getByRole('button', { name: 'Like 1' }).waitFor()
  await article.getByRole('link', { name: /^Comments/ }).click()
  await page.getByLabel('Write a comment').fill('And read there')
  await page.getByRole('button', { name: 'Comment' }).click()
  await page.locator('.comment-list').getByText('And read there').waitFor()
  await look(page, 'member-feed')
  const { body } = await site!.guest('GET', '/api/v2/feeds?limit=2')
  assert.deepEqual(
    body.feeds.map((feed: { feed_content: string; like_count: number; feed_comment_count: number }) => [
      feed.feed_content === 'Written in the browser',
      feed.like_count,
      feed.feed_comment_count,
    ])[0],
    [true, 1, 1],
  )
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('serves Atom feeds with escaped texts', {
  skip,
}, async () => {
  const { ada, hostile } = filled!
  const read = async (path: string) => {
    const answer = await fetch(`${site!.address}${path}`)
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  const everybody = await read('/feeds.atom')
  assert.deepEqual([everybody.status, everybody.type], [200, 'application/atom+xml; charset=utf-8'])
  assert.equal(everybody.text.match(/<entry>/g)?.length, 20)
  const one = await read(`/users/${ada.id}/feeds.atom`)
  assert.ok(one.text.includes(`/feeds/${hostile}</id>`))
  assert.ok(one.text.includes('<name>ada_lovelace</name>') && !one.text.includes('林小雨'))
  assert.ok(one.text.includes('&lt;script&gt;') && !one.text.includes('<script>'))
  assert.equal((await read('/users/999999999/feeds.atom')).status, 404)
  assert.match((await read('/robots.txt')).text, /Disallow: \/api\//)
})

test('keeps pages and routes within the size budget', { skip }, async () => {
  for (const path of ['/', `/feeds/${filled!.first}`]) await weigh(site!.address, path)
  weighRoutes()
})
