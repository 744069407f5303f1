import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { chromium } from 'playwright-core'
import { BROWSER, CANNOT_LOOK } from '#test/chromium.ts'
import { createWorld } from '#test/world.ts'

test('the page at /docs lists every area, tries an operation, and asks nobody else for anything', {
  skip: CANNOT_LOOK,
}, async () => {
  const { app, person } = await createWorld({ PORT: '0' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  const browser = await chromium.launch({
    executablePath: BROWSER as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  })
  after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const asked: string[] = []
  const faults: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(`${address}/docs`)
  await page.locator('.opblock-tag').first().waitFor({ timeout: 120_000 })
  const contract = (await (await fetch(`${address}/api/v2/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags?: string[] }>>
  }
  const tags = new Set(
    Object.values(contract.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operation.tags ?? ['default']),
  )
  const shown = await page
    .locator('.opblock-tag')
    .evaluateAll((all) => all.map((tag) => (tag as unknown as { dataset: { tag: string } }).dataset.tag))
  assert.deepEqual(shown, [...tags].sort())

  const { token } = await person()
  await page.locator('button.authorize').first().click()
  await page.locator('.modal-ux input').fill(token)
  await page.locator('.modal-ux button[type=submit]').click()
  await page.locator('.modal-ux .btn-done').click()
  await page.locator('.opblock-tag[data-tag=Accounts]').click()
  const abilities = page.locator('.opblock', { hasText: '/api/v2/user/abilities' }).first()
  await abilities.locator('.opblock-summary').click()
  await abilities.locator('button.execute').click()
  await abilities.locator('.live-responses-table').waitFor({ timeout: 20_000 })
  assert.match(await abilities.locator('.live-responses-table').innerText(), /feed-post/)
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(address) && !url.startsWith('data:')),
    [],
  )
  assert.deepEqual(faults, [])
})
