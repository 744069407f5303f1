import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { givePoints } from '#test/fixtures/news.ts'
import { agree, findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

let mark = 0
const publish = async (who: Parameters<NonNullable<typeof site>['as']>[0], text: string, more: object = {}) =>
  (
    await site!.as(who, 'POST', '/api/v2/feeds', {
      feed_content: text,
      feed_from: 1,
      feed_mark: ++mark,
      ...more,
    })
  ).body.id as number

const people = site
  ? {
      ada: await site.person({ name: 'ada_lovelace' }),
      lin: await site.person({ name: 'lin_xiaoyu' }),
    }
  : undefined
if (people) for (const each of Object.values(people)) await givePoints(site!, each, 1_000)

test('publishes a feed with pictures, a mention and a topic', {
  skip,
}, async () => {
  const { ada, lin } = people!
  const { as, open } = site!
  const topic = await as(lin, 'POST', '/api/v2/feed/topics', { name: 'Harbour' })
  assert.equal(topic.status, 201)
  const page = await open('/', { person: ada, ...TELEPHONE })
  const text = page.getByLabel('What is happening?')
  await text.pressSequentially('Look @lin_x')
  await page.getByRole('option', { name: '@lin_xiaoyu' }).waitFor()
  await text.press('Enter')
  await text.pressSequentially('here #Har')
  await page.getByRole('option', { name: '#Harbour' }).click()
  const picture = async (name: string, width: number) => ({
    name,
    mimeType: 'image/png',
    buffer: await flatPicture(width, 30).png().toBuffer(),
  })
  await page.setInputFiles('input[type=file]', [await picture('a.png', 40), await picture('b.png', 50)])
  await until(page, '!document.querySelector("progress")')
  await page.getByRole('button', { name: 'Move forward: Picture 2' }).click()
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
  await page.getByAltText('Picture 2', { exact: true }).waitFor()
  await look(page, 'compose')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.locator('article').filter({ hasText: '@lin_xiaoyu' }).waitFor()
  const { body } = await as(ada, 'GET', '/api/v2/feeds?limit=1')
  const [feed] = body.feeds
  assert.equal(feed.feed_content, 'Look \u00ad@lin_xiaoyu\u00ad here')
  assert.deepEqual(
    feed.topics.map(({ name }: { name: string }) => name),
    ['Harbour'],
  )
  assert.deepEqual(
    feed.images.map(({ size }: { size: string }) => size),
    ['50x30', '40x30'],
  )
  await page.getByRole('link', { name: 'Picture 1 by ada_lovelace' }).click()
  await page.getByText('1 / 2').waitFor()
  await look(page, 'viewer')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Next picture' }).click()
  await page.getByText('2 / 2').waitFor()
  await page.keyboard.press('Escape')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('publishes a feed once when the response is lost', { skip }, async () => {
  const { ada } = people!
  const page = await site!.open('/', { person: ada })
  await page.route('**/api/v2/files', (route) => route.abort())
  const buffer = await flatPicture(60, 30).png().toBuffer()
  await page.setInputFiles('input[type=file]', [{ name: 'c.png', mimeType: 'image/png', buffer }])
  const retry = page.getByRole('button', { name: /^Try again/ })
  await retry.waitFor()
  await page.unroute('**/api/v2/files')
  await retry.click()
  await page.getByLabel('What is happening?').fill('Sent twice, published once')
  let lost = 0
  await page.route('**/api/v2/feeds', async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  const button = page.getByRole('button', { name: 'Publish', exact: true })
  await button.click()
  await page.getByText('The site does not answer. Nothing is lost. Try again in a moment.').waitFor()
  assert.equal(await page.getByLabel('What is happening?').inputValue(), 'Sent twice, published once')
  await button.click()
  await page.getByText('Published.', { exact: true }).waitFor()
  const { body } = await site!.as(ada, 'GET', `/api/v2/feeds?type=users&user=${ada.id}`)
  const texts = body.feeds.map(({ feed_content }: { feed_content: string }) => feed_content)
  assert.equal(texts.filter((text: string) => text.startsWith('Sent twice')).length, 1)
  await page.context().close()
})

test('charges once for the text of a feed when the response is lost', { skip }, async () => {
  const { ada, lin } = people!
  const { as, open, address } = site!
  const secret =
    'The secret begins here and goes on for quite a while, much longer than what everybody may read of it.'
  const paid = await publish(lin, secret.repeat(3), { amount: 10 })
  const points = async (who: typeof ada) => (await as(who, 'GET', '/api/v2/user')).body.currency.sum as number
  const before = [await points(ada), await points(lin)]
  const page = await open(`/feeds/${paid}`, { person: ada })
  await page.getByRole('button', { name: 'Read the full text for 10 points' }).click()
  assert.deepEqual(await findings(page), [])
  await look(page, 'pay')
  let lost = 0
  await page.route('**/currency/purchases/*', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('button', { name: 'Pay 10 points' }).click()
  await page.locator('article').getByText('much longer than').waitFor()
  assert.deepEqual([await points(ada), await points(lin)], [before[0]! - 10, before[1]! + 10])
  const menu = async (item: string) => {
    await page.locator('article').first().getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: item, exact: true }).click()
  }
  await menu('Reward')
  await page.getByLabel('Points').fill('7')
  await page.getByRole('button', { name: 'Pay 7 points' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await points(lin), before[1]! + 17)
  await menu('Repost')
  await page.getByLabel('Your comment').fill('Worth it')
  await page.locator('dialog').getByRole('button', { name: 'Repost' }).click()
  await page.getByText('Reposted.').waitFor()
  await page.goto(address)
  await page.locator('html[data-ready]').waitFor()
  const mine = page.locator('article').filter({ hasText: 'Worth it' })
  await mine.getByText('Reposted a post').waitFor()
  await look(page, 'reposted')
  assert.deepEqual(await findings(page), [])
  await mine.getByRole('button', { name: 'More' }).click()
  await mine.getByRole('button', { name: 'Pin' }).click()
  await page.getByRole('spinbutton', { name: 'Points per day' }).fill('200')
  await page.getByLabel('Days').fill('3')
  await page.getByRole('button', { name: 'Pay 600 points' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await points(ada), before[0]! - 617)
  await page.context().close()
})

test('rewards once after a lost reply, also in a new dialog and after a reload', { skip }, async () => {
  const { ada, lin } = people!
  const { as, open } = site!
  const feed = await publish(lin, 'A feed with one reward')
  const points = async () => (await as(ada, 'GET', '/api/v2/user')).body.currency.sum as number
  const before = await points()
  const page = await open(`/feeds/${feed}`, { person: ada })
  const begin = async () => {
    await page.locator('article').first().getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Reward', exact: true }).click()
    await page.getByLabel('Points').fill('5')
  }
  await begin()
  const keys = new Set<string>()
  let state: 'lost' | 'running' | 'done' = 'lost'
  await page.route('**/feeds/*/new-rewards', async (route) => {
    keys.add(route.request().headers()['idempotency-key'] ?? '')
    if (state === 'done') return route.continue()
    if (state === 'running') {
      const headers = { 'x-error-code': 'idempotency_key_running' }
      return route.fulfill({ status: 409, headers, json: { message: 'still running' } })
    }
    await route.fetch()
    return route.abort()
  })
  const pay = async (next: typeof state, text: string) => {
    state = next
    await page.getByRole('button', { name: 'Pay 5 points' }).click()
    await page.getByText(text).waitFor()
  }
  await pay('lost', 'The site does not answer.')
  await pay('running', 'This is still being sent. Wait a moment.')
  await page.keyboard.press('Escape')
  await begin()
  await pay('lost', 'The site does not answer.')
  await page.reload()
  await begin()
  await pay('done', 'Paid.')
  assert.equal(keys.size, 1)
  assert.equal(await points(), before - 5)
  await page.context().close()
})

test('announces new feeds instead of inserting them', {
  skip,
}, async () => {
  const { ada, lin } = people!
  for (let n = 0; n < 120; n += 1) await publish(lin, `Line ${n} of a long evening`)
  const page = await site!.open('/', { person: ada, ...TELEPHONE })
  const newest = page.locator('article').filter({ hasText: 'Line 119 of' })
  await newest.waitFor()
  await publish(lin, 'Something just happened')
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  const announced = page.getByRole('button', { name: 'Show new posts' })
  await announced.waitFor()
  assert.equal(await page.getByText('Something just happened').count(), 0)
  await announced.click()
  await page.getByText('Something just happened').waitFor()
  const last = page.locator('article').filter({ hasText: 'Line 3 of' })
  for (let n = 0; n < 60 && (await last.count()) === 0; n += 1) {
    await page.mouse.wheel(0, 6_000)
    await page.evaluate('scrollBy(0, 6_000)')
    await page.waitForTimeout(150)
  }
  await last.scrollIntoViewIfNeeded()
  await page.waitForTimeout(300)
  assert.ok((await page.locator('article').count()) < 80, `${await page.locator('article').count()} articles`)
  const place = Number(await page.evaluate('scrollY'))
  await last.locator('.time').click()
  await page.waitForURL(/\/feeds\/\d+$/)
  await page.locator('.is-alone').waitFor()
  assert.equal(await page.evaluate('scrollY'), 0)
  await page.goBack()
  await last.waitFor()
  assert.ok(Math.abs(Number(await page.evaluate('scrollY')) - place) < 5)
  assert.ok((await last.boundingBox())!.y >= 0)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('lets a moderator delete a feed in the list', { skip }, async () => {
  const { lin } = people!
  const { as, open } = site!
  const mod = await site!.person({ name: 'mo_derates', roles: ['founder'] })
  const spam = await publish(lin, 'Buy these watches now')
  const page = await open('/', { person: mod })
  const feed = page.locator('article').filter({ hasText: 'Buy these watches now' })
  await feed.getByRole('button', { name: 'More' }).click()
  const link = feed.getByRole('link', { name: 'Open in the console' })
  assert.equal(await link.getAttribute('href'), `/admin/feeds/${spam}/show`)
  await look(page, 'moderator')
  await feed.getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await feed.waitFor({ state: 'detached' })
  assert.equal((await as(lin, 'GET', `/api/v2/feeds/${spam}`)).status, 404)
  await page.context().close()
})

test('shows guests the users who liked or rewarded a feed', { skip }, async () => {
  const { ada, lin } = people!
  const { as, open, address } = site!
  const id = await publish(ada, 'Everybody came.')
  const quiet = await publish(ada, 'Nobody came.')
  await as(lin, 'POST', `/api/v2/feeds/${id}/like`)
  const rewarded = await as(lin, 'POST', `/api/v2/feeds/${id}/new-rewards`, { amount: 7 })
  assert.equal(rewarded.status, 201, JSON.stringify(rewarded.body))
  for (const options of [{ javaScriptEnabled: true }, { javaScriptEnabled: false, ...TELEPHONE }]) {
    const page = await open(`/feeds/${id}`, options)
    await page.getByRole('link', { name: 'Liked by 1 person' }).click()
    await page.waitForURL(`${address}/feeds/${id}/likes`)
    await page.getByRole('main').getByRole('link', { name: 'lin_xiaoyu' }).first().waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: 'Rewards' }).click()
    await page.getByText('7 points').waitFor()
    if (options.javaScriptEnabled) assert.deepEqual(await findings(page), [])
    await look(page, 'supporters')
    await page.goto(`${address}/feeds/${quiet}/rewards`)
    await page.getByText('No users yet.').waitFor()
    await page.context().close()
  }
})

test('says that a post has no place for more pictures', { skip }, async () => {
  const page = await site!.open('/', { person: await site!.person() })
  const buffer = await flatPicture(61, 30).png().toBuffer()
  const pictures = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${n}.png`, mimeType: 'image/png', buffer }))
  const text = page.getByText('A post has up to 9 pictures or one video. The others were left out.')
  await page.setInputFiles('input[type=file]', pictures(9))
  await page.locator('.chosen li').nth(8).waitFor()
  assert.equal(await text.count(), 0)
  await page.setInputFiles('input[type=file]', pictures(1))
  await text.waitFor()
  assert.equal(await page.locator('.chosen li').count(), 9)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})
