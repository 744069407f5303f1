import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const SCREENS: [string, BrowserContextOptions][] = [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['telephone', TELEPHONE],
]

let mark = 0
const publish = async (by: Parameters<NonNullable<typeof site>['as']>[0], text: string) =>
  (await site!.as(by, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: ++mark })).body
    .id as number

/** Waits until the worker controls the page and has stored its document. */
const stored = (page: Page, path: string) =>
  until(
    page,
    `Boolean(navigator.serviceWorker.controller) && caches.match('${path}', { ignoreVary: true }).then(Boolean)`,
  )

for (const [screen, options] of SCREENS)
  test(`shows seen pages offline and says from when they are, ${screen}`, { skip }, async () => {
    const { person, open, address } = site!
    const ada = await person()
    const text = `Low tide at the lighthouse, ${screen}`
    const feed = await publish(ada, text)
    await publish(ada, 'Never opened')
    const page = await open('/', { person: ada, serviceWorkers: 'allow', ...options })
    await stored(page, '/')
    await page.reload()
    await page.locator('html[data-ready]').waitFor()
    const card = page.locator('article').filter({ hasText: text })
    await card.locator('.time').click()
    await page.waitForURL(`${address}/feeds/${feed}`)
    await until(page, `caches.match('/api/v2/feeds/${feed}?trees=true', { ignoreVary: true }).then(Boolean)`)
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.goto(`${address}/`)
    await page.getByText(/You are offline\. This page is from \d\d:\d\d\./).waitFor()
    await look(page, `offline-home-${screen}`)
    await card.locator('.time').click()
    await page.getByRole('heading', { name: text }).or(page.getByText(text)).first().waitFor()
    await page.context().close()
  })
