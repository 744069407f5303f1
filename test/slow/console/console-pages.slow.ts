import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, settled, walkPages } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
if (world) await fillConsole(world)

for (const locale of ['en', 'zh'] as const)
  test(`renders the first half of the console pages accessibly in both themes in ${locale}`, {
    skip,
  }, async () => {
    assert.deepEqual(await walkPages(world!, 'first half', locale), [])
    assert.deepEqual(world!.faults, [])
  })

test("fits eight pages of the console into a phone's width", { skip }, async () => {
  const page = await world!.open('/', {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  })
  for (const path of [
    '/',
    '/queues/reports',
    '/people',
    '/settings',
    '/songs/create',
    `/people/${world!.founder.id}/show`,
    '/audit-log',
    '/ledger',
  ]) {
    await page.goto(`${world!.address}/admin${path}`)
    await settled(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 391, `${path} is ${width} wide`)
  }
  await page.context().close()
})
