import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { EVENTS } from '#modules/notifications/webhooks/service.ts'
import { VERSION } from '#platform/version.ts'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, openJobs, passUndo, settled } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'
import { until } from '#test/fixtures/streams.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
const contents = world ? await fillConsole(world) : undefined
const read = async (path: string) => (await world!.as(world!.founder, 'GET', path)).body

test('shows unique menu names in full', { skip }, async () => {
  for (const locale of ['en', 'zh'] as const) {
    const page = await world!.open('/', { locale })
    await settled(page)
    await openJobs(page)
    const names = (await page.locator('nav [role=menuitem]').allInnerTexts()).map((name) =>
      (name.split('\n')[0] ?? '').trim(),
    )
    assert.ok(names.length > 40, `saw only ${names.length} names`)
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
    const cut = await page
      .locator('nav [data-label]')
      .evaluateAll((all) =>
        (all as unknown as { scrollWidth: number; clientWidth: number; textContent: string }[])
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      )
    assert.deepEqual(cut, [])
    await page.getByText(`${locale === 'en' ? 'Version' : '版本'} ${VERSION}`, { exact: true }).waitFor()
    await page.context().close()
  }
  const page = await world!.open('/songs')
  const content = page.getByRole('menuitem', { name: 'Content', exact: true })
  await page.getByRole('menuitem', { name: 'Songs', exact: true }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Webhooks', exact: true }).count(), 0)
  await content.click()
  await page.reload()
  await content.waitFor()
  assert.equal(await content.getAttribute('aria-expanded'), 'false')
  await page.context().close()
})

test('opens pages, users and settings with Ctrl-K', { skip }, async () => {
  const { writer } = contents!
  const page = await world!.open('/')
  await settled(page)
  const box = page.getByRole('combobox', { name: 'Page, user or setting' })
  for (const [text, option, address] of [
    ['withdrawals pay', 'Withdrawals to pay', /\/queues\/withdrawals/],
    [writer.name, writer.name, new RegExp(`/people/${writer.id}/show$`)],
    ['签到', 'Points per check-in', /\/settings\/checkin#checkin/],
  ] as const) {
    await page.keyboard.press('Control+k')
    await box.fill(text)
    await page.getByRole('option', { name: option }).first().waitFor()
    await page.getByRole('option', { name: option }).first().click()
    await page.waitForURL(address)
    await box.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  await box.fill('nothing is called like this')
  await box.blur()
  await page.getByText('No matching results.').waitFor()
  // The dialog receives keys only after it has regained the focus.
  await page.locator('.MuiDialog-root :focus').waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await page.context().close()
})

test('shows one section of settings at each URL', { skip }, async () => {
  const page = await world!.open('/settings/checkin')
  await page.getByRole('heading', { name: 'Check-in' }).waitFor()
  assert.equal(await page.locator('[data-setting^="feed:"]').count(), 0)
  await page.getByRole('link', { name: 'Feeds' }).click()
  await page.locator('[data-setting^="feed:"]').first().waitFor()
  assert.match(page.url(), /settings\/feed$/)
  await page.getByLabel('Search settings').fill('checkin')
  await page.locator('[data-setting^="checkin:"]').first().waitFor()
  await page.goto(`${world!.address}/admin/settings/nothing`)
  await page.getByText('This section does not exist.').first().waitFor()
  await page.context().close()
})

test('undoes a decision on several items', { skip }, async () => {
  const { other } = contents!
  for (const name of ['Several one', 'Several two', 'Several three'])
    assert.equal((await world!.as(other, 'POST', '/feed/topics', { name, desc: 'x' })).status, 201)
  const states = async () =>
    (await read('/admin/feed-topics?q=Several')).data.map(({ status }: { status: string }) => status)
  const page = await world!.open('/queues/topic-reviews')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent += 1
  })
  const accept = async () => {
    await page.getByRole('button', { name: 'Decide on several items' }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['Several one', 'Several two', 'Several three'])
      await dialog.getByRole('checkbox', { name }).check()
    await dialog
      .getByRole('button', { name: /\(3\)$/ })
      .last()
      .click()
    await page.getByRole('dialog').getByRole('textbox').press('Enter')
  }
  await page.clock.install()
  await accept()
  await page.getByRole('button', { name: 'Undo all 3' }).click()
  await passUndo(page)
  assert.equal(sent, 0)
  assert.deepEqual(await states(), ['waiting', 'waiting', 'waiting'])
  await accept()
  await page.getByRole('button', { name: 'Undo all 3' }).waitFor()
  await passUndo(page)
  await until(() => sent === 3, 'three decisions')
  await settled(page)
  assert.deepEqual(await states(), ['passed', 'passed', 'passed'])
  await page.context().close()
})

test('creates a webhook for chosen events', { skip }, async () => {
  const received: string[] = []
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['x-kith-event'] ?? request.url))
    request.resume()
    response.end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  world!.ctx.config.webhooksAllowPrivate = true
  const page = await world!.open('/webhooks/create')
  await page.getByRole('textbox', { name: 'URL' }).fill(url)
  const names = await page.locator('fieldset code').allInnerTexts()
  assert.deepEqual(names.sort(), Object.keys(EVENTS).sort())
  await page.getByRole('checkbox', { name: /feed\.created/ }).check()
  await page.getByRole('button', { name: 'Save and send a test event' }).click()
  await page.getByText('This secret is shown only once:').waitFor()
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  const { data } = await read('/admin/webhooks')
  assert.deepEqual([data[0].url, data[0].types], [url, ['feed.created']])
  const deliveries = await read(`/admin/webhooks/${data[0].id}/deliveries`)
  assert.deepEqual(
    deliveries.data.map(({ type }: { type: string }) => type),
    ['webhook.ping'],
  )
  await page.context().close()
})

test('saves the filters of a list under a name', { skip }, async () => {
  const { writer } = contents!
  const page = await world!.open(
    `/recharges?filter=${encodeURIComponent(JSON.stringify({ user: writer.id }))}`,
  )
  await settled(page)
  const menu = page.getByRole('button', { name: 'Add filter' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Save current query...' }).click()
  await page.getByLabel('Query name').fill('What the writer paid')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goto(`${world!.address}/admin/recharges?filter=%7B%7D`)
  await settled(page)
  assert.doesNotMatch(decodeURIComponent(page.url()), /"user"/)
  await menu.click()
  await page.getByRole('menuitem', { name: 'What the writer paid', exact: true }).click()
  await page.waitForURL((url) => decodeURIComponent(url.href).includes(`"user":${writer.id}`))
  await settled(page)
  await menu.click()
  await page.getByRole('menuitem', { name: 'Remove query "What the writer paid"' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.reload()
  await settled(page)
  await menu.click()
  await page.getByRole('menuitem', { name: 'Save current query...' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: /What the writer paid/ }).count(), 0)
  await page.context().close()
})
