import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { BROWSER, CANNOT_LOOK } from '#test/chromium.ts'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld({ PORT: '0' })
const { app } = world
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo
const address = `http://127.0.0.1:${port}`
let browser: Browser | undefined
after(() => browser?.close())

async function open(width: number): Promise<{ page: Page; requested: string[]; faults: string[] }> {
  browser ??= await chromium.launch({
    executablePath: BROWSER as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  })
  const page = await browser.newPage({ viewport: { width, height: 844 }, locale: 'en' })
  const requested: string[] = []
  const faults: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('pageerror', (error) => faults.push(String(error.stack)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(`${address}/docs`)
  await page.locator('.nav-bar-path').first().waitFor({ state: 'attached', timeout: 120_000 })
  return { page, requested, faults }
}

test('serves the API documentation with a strict content security policy', async () => {
  const page = await fetch(`${address}/docs`)
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/)
  const [, script = ''] = /src="(\/docs\/rapidoc[^"]+)"/.exec(await page.text()) ?? []
  const packed = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip' } })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.ok(packed.rawPayload.length < 250_000)
  const plain = await app.inject({ url: script, headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.match(plain.body, /RapiDoc 9\.3\.8/)
})

test('runs an operation from the API documentation at /docs', {
  skip: CANNOT_LOOK,
}, async () => {
  const ann = await signUpsOn(world).signUp()
  const { page, requested, faults } = await open(1280)
  const { paths } = (await (await fetch(`${address}/api/v2/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { 'x-alias-of'?: string }>>
  }
  const all = Object.values(paths).flatMap((operations) => Object.values(operations))
  const current = all.filter((operation) => !operation['x-alias-of'])
  assert.ok(all.length - current.length > 100, 'aliases are marked')
  const entries = '.nav-bar-path:not([data-content-id^="cmp--"])'
  const listed = () => page.locator(entries).count()
  assert.equal(await listed(), current.length)

  await page.locator('input[part~=textbox-nav-filter]').fill('user/abilities')
  await page.keyboard.press('Enter')
  const hit = page.locator('[data-content-id="get-/api/v2/user/abilities"]')
  await hit.waitFor()
  assert.ok((await listed()) < 10)
  await hit.click()

  await page.click('#sign-in')
  await page.fill('input[name=login]', ann.name)
  await page.fill('input[name=password]', 'wrong')
  await page.click('dialog button[type=submit]')
  await page.locator('#fault', { hasText: /\w/ }).waitFor()
  await page.fill('input[name=password]', ann.password)
  await page.click('dialog button[type=submit]')
  await page.locator('#sign-out').waitFor()
  const operation = page.locator('[id="get-/api/v2/user/abilities"]')
  await operation.locator('[part~=btn-try]').click()
  await operation.locator('text=feed-post').first().waitFor()
  assert.deepEqual(
    requested.filter((url) => !url.startsWith(address) && !/^(data|blob):/.test(url)),
    [],
  )
  assert.deepEqual(
    faults.filter((fault) => !/status of 422/.test(fault)),
    [],
  )

  await page.check('#older')
  await page.waitForFunction(`document.querySelector('rapi-doc').shadowRoot
    .querySelectorAll('${entries}').length === ${all.length}`)
  await page.close()
})

test('fits the API documentation on a phone', {
  skip: CANNOT_LOOK,
}, async () => {
  const { page, faults } = await open(390)
  const navigation = page.locator('[part=section-navbar]')
  assert.equal(await navigation.isVisible(), false)
  await page.click('#menu')
  assert.equal(await navigation.isVisible(), true)
  await page.goto(`${address}/docs#get-/api/v2/feeds/-feed-`)
  await page.locator('[id="get-/api/v2/feeds/-feed-"]').waitFor()
  assert.equal(await navigation.isVisible(), false)
  const box = await page.locator('[part~=btn-try]').first().boundingBox()
  assert.ok(box && box.x + box.width <= 390, JSON.stringify(box))
  const overflow = await page.evaluate('document.documentElement.scrollWidth')
  assert.equal(overflow, 390)
  assert.deepEqual(faults, [])
  await page.close()
})
