import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium } from 'playwright-core'
import { VERSION } from '#platform/version.ts'
import { BROWSER, CANNOT_LOOK } from '#test/chromium.ts'
import { createWorld } from '#test/world.ts'

const { app } = await createWorld({ PORT: '0', CORS_ORIGINS: 'https://app.example' })
const open = (headers: Record<string, string> = {}) => app.inject({ method: 'GET', url: '/', headers })

test("describes the server at / in the client's language (conventions-36)", async () => {
  const english = await open()
  assert.deepEqual([english.statusCode, english.headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.ok(english.body.includes(`Powered by Kith ${VERSION}`) && english.body.includes('lang="en"'))
  assert.match(english.body, /the server of a social network[\s\S]*href="\/docs"/)
  const chinese = await open({ 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8', accept: 'text/html,*/*;q=0.8' })
  assert.match(chinese.body, /lang="zh"[\s\S]*社交网络的服务器/)
  assert.equal(chinese.headers.vary, 'Origin, Accept, Accept-Language')
})

test('describes the server as JSON to clients that accept JSON (conventions-36)', async () => {
  const answer = await open({ accept: 'application/json' })
  assert.deepEqual(
    [answer.json().name, answer.json().version, answer.json().api],
    ['Kith', VERSION, '/api/v2'],
  )
})

test('links only to URLs that respond', async () => {
  const { body } = await open()
  const links = [...body.matchAll(/href="([^"]+)"/g)].map((match) => match[1] as string)
  assert.ok(links.length >= 3)
  for (const url of links) {
    const { statusCode, headers } = await app.inject({ method: 'GET', url })
    const isNotBuilt = url === '/admin' && statusCode === 503
    assert.ok(statusCode < 400 || isNotBuilt, `${url} answers ${statusCode}`)
    assert.match(String(headers.vary), /\bOrigin\b/, `${url} loses Vary: Origin`)
  }
})

test('applies the styles of the page under its content security policy', {
  skip: CANNOT_LOOK,
}, async (t) => {
  const { body, headers } = await open()
  const browser = await chromium.launch({
    executablePath: BROWSER as string,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  t.after(() => browser.close())
  const page = await browser.newPage()
  const policy = String(headers['content-security-policy'])
  const faults: string[] = []
  page.on('console', (message) => faults.push(message.text()))
  await page.route('**/*', (route) => {
    const isPage = new URL(route.request().url()).pathname === '/'
    return isPage
      ? route.fulfill({ body, contentType: 'text/html', headers: { 'content-security-policy': policy } })
      : route.abort()
  })
  await page.goto('http://kith.test/')
  // A wrong hash in the content security policy would block the page's styles.
  assert.equal(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontWeight"), '600')
  assert.deepEqual(
    faults.filter((text) => /policy/i.test(text)),
    [],
  )
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/landing.png` })
})
