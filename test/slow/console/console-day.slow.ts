import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'
import { until } from '#test/fixtures/streams.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
const contents = world ? await fillConsole(world) : undefined

const REPORTS = 10
const read = async (path: string) => (await world!.as(world!.founder, 'GET', path)).body

async function acceptAll(page: Page, queue: string, count: number): Promise<void> {
  let sent = 0
  const note = (response: { request(): { method(): string }; status(): number }) => {
    if (!['PATCH', 'PUT'].includes(response.request().method())) return
    assert.equal(response.status(), 204, queue)
    sent += 1
  }
  await page.goto(`${world!.address}/admin/queues/${queue}`)
  page.on('response', note)
  for (let done = 0; done < count; done += 1) {
    await page.locator('article').waitFor()
    await page.waitForURL(new RegExp(`/queues/${queue}/\\d+$`))
    const before = page.url()
    await page.locator('h1').click()
    await page.keyboard.press('a')
    const next = page.waitForURL((url) => url.href !== before)
    const dialog = page.getByRole('dialog').getByRole('textbox').last()
    await Promise.race([next, dialog.waitFor().catch(() => {})])
    if (await dialog.isVisible()) await dialog.press('Enter')
    await next
  }
  await until(() => sent >= count, `${count} decisions of ${queue}`)
  page.off('response', note)
  assert.equal(sent, count, queue)
}

test('completes the daily tasks of a moderator in the console', {
  skip,
}, async () => {
  const { as, founder, guest, person } = world!
  const { writer } = contents!

  const spammer = { name: 'spammer', password: 'a password', roles: ['owner'] }
  const spam = await as(founder, 'POST', '/admin/users', spammer)
  for (let each = 0; each < REPORTS - 1; each += 1) {
    const by = await person()
    const feed = await as(writer, 'POST', '/feeds', {
      ...{ feed_content: `Feed ${each}`, feed_from: 1 },
      feed_mark: 500 + each,
    })
    assert.equal((await as(by, 'POST', `/feeds/${feed.body.id}/reports`, { reason: 'Spam' })).status, 201)
  }
  const candidate = await person()
  const papers = {
    ...{ type: 'user', name: '杜伟', phone: '+86-18781993582', number: '51092219920420757X', desc: 'Writer' },
    files: [await uploadPicture(world!, candidate)],
  }
  assert.equal((await as(candidate, 'POST', '/user/certification', papers)).status, 201)
  const received: string[] = []
  const receiver = createServer((request, response) => {
    received.push(String(request.url))
    request.resume()
    response.end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  world!.ctx.config.webhooksAllowPrivate = true

  const login = { login: 'moderator', password: 'a password' }
  const account = { name: login.login, password: login.password, roles: ['owner', 'founder'] }
  assert.equal((await as(founder, 'POST', '/admin/users', account)).status, 201)
  const { body: signedIn } = await guest('POST', '/auth/login', login)
  const moderator = { id: 0, name: login.login, token: signedIn.access_token as string }
  const { secret } = (await as(moderator, 'POST', '/user/second-factor', { password: login.password })).body
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const on = await as(moderator, 'PUT', '/user/second-factor', { second_factor: code })
  const page = await world!.open('/', { person: null })
  await page.getByLabel('Name, e-mail or phone').fill(login.login)
  await page.getByLabel('Password').fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Two-step verification code').fill(on.body.recovery_codes[0])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Pending decisions' }).waitFor()

  await acceptAll(page, 'reports', REPORTS)
  for (const queue of ['appeals', 'certifications', 'contributions', 'feed-pins'])
    await acceptAll(page, queue, 1)
  await acceptAll(page, 'withdrawals', 1)
  await acceptAll(page, 'contribution-refunds', 1)
  const left = (await read('/admin/statistics/waiting')).data as { name: string; count: number }[]
  for (const name of ['reports', 'appeals', 'certifications', 'contributions', 'feed-pins', 'withdrawals'])
    assert.equal(left.find((queue) => queue.name === name)?.count, 0, name)
  assert.equal((await read('/admin/news?q=vain')).data[0].fee_state, 'refunded')
  assert.equal((await as(candidate, 'GET', '/user/certification')).body.status, 1)

  await page.goto(`${world!.address}/admin/people/${spam.body.id}/show`)
  await page.getByRole('button', { name: 'Sanction' }).click()
  const form = page.getByRole('form', { name: 'Sanction' })
  await form.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'suspension' }).click()
  await form.getByLabel('Reason').fill('Spam')
  await form.getByRole('button', { name: 'Impose sanction' }).click()
  await page.getByText('suspended', { exact: true }).first().waitFor()
  const again = await guest('POST', '/auth/login', { login: spammer.name, password: spammer.password })
  assert.equal(again.status, 403)

  await page.goto(`${world!.address}/admin/roles/create`)
  await page.getByRole('textbox', { name: 'Identifier' }).fill('night-shift')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'night-shift' }).first().waitFor()

  await page.goto(`${world!.address}/admin/settings`)
  await page.getByLabel('Search settings').fill('checkin:balance')
  const row = page.locator('[data-setting="checkin:balance"]')
  await row.getByRole('textbox').fill('25')
  await row.getByRole('button', { name: 'Save' }).click()
  await row.getByRole('button', { name: 'Reset' }).waitFor()
  assert.equal((await read('/admin/settings'))['checkin:balance'], 25)

  await page.goto(`${world!.address}/admin/words`)
  await page.getByRole('link', { name: 'badword' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  assert.match(readFileSync(await download.path(), 'utf8'), /badword,replace/)

  await world!.work()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  await page.goto(`${world!.address}/admin/webhooks/create`)
  await page.getByRole('textbox', { name: 'URL' }).fill(url)
  await page.getByRole('checkbox', { name: /feed\.created/ }).check()
  await page.getByRole('button', { name: 'Save and send a test event' }).click()
  await page.getByText('Test event sent').waitFor()
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  await world!.work()
  assert.deepEqual(received, ['/hook'])
  const { data } = await read('/admin/webhooks')
  const deliveries = await read(`/admin/webhooks/${data[0].id}/deliveries`)
  assert.deepEqual(
    deliveries.data.map(({ type }: { type: string }) => type),
    ['webhook.ping'],
  )
  await page.context().close()
  assert.deepEqual(world!.faults, [])
})
