import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { cookieOf, findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const SCREENS: [string, BrowserContextOptions][] = [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['telephone', TELEPHONE],
]

let mark = 0
const publish = async (by: Person, text: string, more: object = {}) =>
  (await site!.as(by, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: ++mark, ...more }))
    .body.id as number

const openWithWorker = async (path: string, options: { person?: Person } & BrowserContextOptions) => {
  const page = await site!.open(path, { serviceWorkers: 'allow', ...options })
  await isStored(page, path)
  return page
}

/** Waits until the worker controls the page and has stored an address. */
const isStored = (page: Page, path: string) =>
  until(
    page,
    `Boolean(navigator.serviceWorker.controller) && caches.match('${path}', { ignoreVary: true }).then(Boolean)`,
  )
const storedIn = (page: Page) =>
  page.evaluate<Record<string, string[]>>(`(async () => {
    const all = {}
    for (const name of await caches.keys())
      all[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
    return all
  })()`)
const pagesIn = async (page: Page) =>
  Object.keys(await storedIn(page)).filter((name) => name.startsWith('kith-pages-'))
const signInAs = async (page: Page, person: Person) => {
  const [name = '', value = ''] = cookieOf(person).split('=')
  await page.context().addCookies([{ name, value, url: site!.address, httpOnly: true, sameSite: 'Lax' }])
}
const BANNER = /You are offline\. This page is from \d\d:\d\d\s[AP]M\./

for (const [screen, options] of SCREENS) {
  test(`shows seen pages offline and says from when they are, ${screen}`, { skip }, async () => {
    const { person, address } = site!
    const ada = await person()
    const text = `Low tide at the lighthouse, ${screen}`
    const feed = await publish(ada, text)
    const page = await openWithWorker('/', { person: ada, ...options })
    const card = page.locator('article').filter({ hasText: text })
    await card.locator('.time').click()
    await page.waitForURL(`${address}/feeds/${feed}`)
    await isStored(page, `/api/v2/feeds/${feed}?trees=true`)
    await page.context().setOffline(true)
    await page.goto(`${address}/`)
    await page.getByText(BANNER).waitFor()
    await look(page, `offline-home-${screen}`)
    assert.deepEqual(await findings(page), [])
    await card.locator('.time').click()
    await page.waitForURL(`${address}/feeds/${feed}`)
    await page.getByText('No comments yet.').waitFor()
    await page.getByText(BANNER).waitFor()
    // The document of this page was never loaded, only its data.
    await page.reload()
    await page.locator('html[data-ready]').waitFor()
    await page.getByText('No comments yet.').waitFor()
    await page.getByText(BANNER).waitFor()
    await page.goto(`${address}/ranks`)
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    await look(page, `offline-never-seen-${screen}`)
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Rankings' }).waitFor()
    await page.getByText('You are offline').first().waitFor({ state: 'detached' })
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

  test(`loads the current data when the connection returns, ${screen}`, { skip }, async () => {
    const { person, address } = site!
    const ada = await person()
    const page = await openWithWorker('/', { person: ada, ...options })
    await page.context().setOffline(true)
    await page.goto(`${address}/`)
    await page.getByText(BANNER).waitFor()
    const text = `Written while somebody was in the tunnel, ${screen}`
    await publish(ada, text)
    await page.context().setOffline(false)
    await page.locator('article').filter({ hasText: text }).waitFor()
    await page.getByText(BANNER).waitFor({ state: 'detached' })
    await page.context().close()
  })
}

test('deletes the stored pages of an account at its sign-out', { skip }, async () => {
  const { person, address } = site!
  const ada = await person()
  const page = await openWithWorker('/', { person: ada })
  await page.goto(`${address}/account/sessions`)
  await page.locator('html[data-ready]').waitFor()
  assert.deepEqual(await pagesIn(page), [`kith-pages-${ada.id}`])
  // The connection breaks right after the sign-out, so that no page of a guest replaces the stored pages.
  await page.route('**/_/session', async (route) => {
    const response = await route.fetch()
    await page.context().setOffline(true)
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByText('This page is not stored on this device.').waitFor()
  assert.deepEqual(await pagesIn(page), [])
  await page.context().close()
})

test('deletes the stored pages when another account uses the browser', { skip }, async () => {
  const { person, address } = site!
  const [ada, lin] = [await person(), await person()]
  const page = await openWithWorker('/', { person: ada })
  await signInAs(page, lin)
  // A tab of the first account stores nothing any more, even if the second one answers it.
  await page.goto(`${address}/account/sessions`)
  await until(page, `caches.keys().then((names) => !names.includes('kith-pages-${ada.id}'))`)
  await page.goto(`${address}/`)
  await isStored(page, '/')
  assert.deepEqual(await pagesIn(page), [`kith-pages-${lin.id}`])
  await page.context().close()
})

test('stores no forms for passwords, no writes, no files and nothing that the page did not show', {
  skip,
}, async () => {
  const { person, address } = site!
  const ada = await person()
  const picture = await uploadPicture(site!, ada, 600, 400)
  const feed = await publish(ada, 'With a picture', { images: [{ id: picture }] })
  const page = await openWithWorker('/', { person: ada })
  for (const path of ['/account/security', '/account/sessions', '/settings', '/wallet', `/feeds/${feed}`]) {
    await page.goto(address + path)
    await page.locator('html[data-ready]').waitFor()
  }
  await page.getByRole('button', { name: /^Like/ }).click()
  await page.getByLabel('Write a comment').fill('A word')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.locator('.comment-list').getByText('A word').waitFor()
  await page.goto(`${address}/topics`)
  await isStored(page, '/topics')
  const { 'kith-assets': assets = [], ...rest } = await storedIn(page)
  const paths = Object.values(rest).flat()
  assert.ok(assets.length > 10 && assets.every((path) => path.startsWith('/_/assets/')))
  assert.ok(paths.includes('/') && paths.includes(`/feeds/${feed}`), paths.join())
  assert.deepEqual(
    paths.filter((path) =>
      /account|settings|wallet|sign-in|files|storage|auth|session|stream|push/.test(path),
    ),
    [],
  )
  await page.context().close()
})

test('stores at most 50 pages, and none older than a week', { skip }, async () => {
  const { person, address } = site!
  const ada = await person()
  const page = await openWithWorker('/', { person: ada })
  await page.evaluate(`(async () => {
    const cache = await caches.open('kith-pages-${ada.id}')
    const put = (path, days) => cache.put(path, new Response('x', { headers: {
      'x-kith-kept-at': String(Date.now() - days * 86_400_000), 'x-kith-length': '1' } }))
    await put('/old', 8)
    for (let n = 0; n < 60; n += 1) await put('/seen/' + n, 1)
    for (let n = 0; n < 220; n += 1) await put('/api/v2/feeds/' + n, 1)
  })()`)
  for (let n = 0; n < 11; n += 1) await page.goto(`${address}/topics?n=${n}`)
  await until(
    page,
    `caches.open('kith-pages-${ada.id}').then((cache) => cache.keys()).then((keys) => keys.length < 270)`,
  )
  const paths = (await storedIn(page))[`kith-pages-${ada.id}`] ?? []
  const replies = paths.filter((path) => path.startsWith('/api/'))
  assert.ok(!paths.includes('/old'))
  assert.ok(
    replies.length <= 201 && paths.length - replies.length <= 60,
    `${paths.length}, ${replies.length}`,
  )
  await page.context().close()
})

/** A proxy before the site, which can fail and serve another version of the worker. */
async function openProxy() {
  const state = { isDown: false, version: '' }
  const { port } = new URL(site!.address)
  const server = createServer((request, response) => {
    if (state.isDown) {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
      return
    }
    const { method, headers, url } = request
    const asked = forward({ port, method, headers, path: url }, (answer) => {
      const isWorker = url === '/sw.js'
      if (isWorker) delete answer.headers['content-length']
      if (isWorker) delete answer.headers['content-encoding']
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response, { end: !isWorker })
      if (isWorker) answer.on('end', () => response.end(`\n// ${state.version}`))
    })
    if (url === '/sw.js')
      for (const name of ['accept-encoding', 'if-none-match', 'if-modified-since']) asked.removeHeader(name)
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return { state, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('shows stored pages while a proxy answers for the stopped site', { skip }, async () => {
  const proxy = await openProxy()
  const page = await site!.open('/design', { serviceWorkers: 'allow' })
  await page.goto(`${proxy.address}/`)
  await page.locator('html[data-ready]').waitFor()
  await isStored(page, '/')
  proxy.state.isDown = true
  await page.goto(`${proxy.address}/`)
  await page.getByText(/The site does not answer\. This page is from \d\d:\d\d\s[AP]M\./).waitFor()
  await look(page, 'site-down')
  await page.goto(`${proxy.address}/ranks`)
  await page.getByText('Part of this page could not be loaded. Reload the page.').waitFor()
  await look(page, 'site-down-unseen')
  proxy.state.isDown = false
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Rankings' }).waitFor()
  await page.context().close()
})

test('replaces the worker without a reload of open pages', { skip }, async () => {
  const proxy = await openProxy()
  const ada = await site!.person()
  const text = 'Still here after the new worker'
  await publish(ada, text)
  const page = await site!.open('/design', { serviceWorkers: 'allow' })
  await page.goto(`${proxy.address}/`)
  await page.locator('html[data-ready]').waitFor()
  await isStored(page, '/')
  await page.evaluate('globalThis.isSamePage = true')
  proxy.state.version = 'of the next release'
  await page.evaluate(`new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('The worker stayed')), 30_000)
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve())
    navigator.serviceWorker.getRegistration().then((found) => found.update())
  })`)
  await page.locator('article').filter({ hasText: text }).locator('.time').click()
  await page.getByText('No comments yet.').waitFor()
  assert.equal(await page.evaluate('globalThis.isSamePage'), true)
  await isStored(page, '/')
  await page.context().close()
})

test('opens in the language of the browser when nothing is stored', { skip }, async () => {
  const page = await openWithWorker('/', { locale: 'zh-CN', ...TELEPHONE, colorScheme: 'dark' })
  await page.evaluate(`caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))`)
  await page.context().setOffline(true)
  await page.goto(`${site!.address}/topics`).catch(() => {})
  await page.getByRole('heading', { name: '网络未连接' }).waitFor()
  await look(page, 'offline-nothing-stored')
  await page.context().setOffline(false)
  await page.getByRole('link', { name: '重试' }).click()
  await page.getByRole('heading', { name: '话题', exact: true }).waitFor()
  await page.context().close()
})
