import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { builtFolder } from '#platform/http'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { flatPicture, mp4, noisyPicture } from '#test/fixtures/media.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const SCREENS: [string, BrowserContextOptions][] = [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['telephone', TELEPHONE],
]
const SCRIPTS = '**/_/assets/*.js'
const SLOW_MS = 4_000
const PROXY_PAGE = { contentType: 'text/html', body: '<html><h1>An error of nginx</h1></html>' }
const PNG = await noisyPicture(60, 40).png().toBuffer()
const JPEG = await noisyPicture(400, 300).jpeg().toBuffer()
/** A picture of few bytes with more than 50 megapixels. */
const WIDE = await flatPicture(10_100, 5_000).png({ palette: true }).toBuffer()
const SENTENCE = 'Part of this page could not be loaded'

let mark = 0
async function publish(text: string): Promise<{ id: number; text: string }> {
  const by = await site!.person()
  const { body } = await site!.as(by, 'POST', '/feeds', {
    feed_content: text,
    feed_from: 1,
    feed_mark: ++mark,
  })
  return { id: body.id, text }
}

/** The file of a page module in the current build. */
function scriptOf(name: string): string {
  const manifest = JSON.parse(readFileSync(join(builtFolder('web'), 'manifest.json'), 'utf8')) as {
    pages: Record<string, string[]>
  }
  return basename(String(manifest.pages[name]?.[0]))
}

const documentsOf = (page: Page) => {
  const documents: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents.push(new URL(request.url()).pathname)
  })
  return documents
}

for (const [screen, options] of SCREENS) {
  test(`keeps what was typed before slow scripts arrive, ${screen}`, { skip }, async () => {
    const ada = await site!.person()
    const page = await site!.open('/design', { person: ada, ...options })
    await page.route(SCRIPTS, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
      await route.continue()
    })
    await page.goto(site!.address, { waitUntil: 'commit' })
    const composer = page.getByLabel('What is happening?')
    await composer.fill('Typed on a slow train')
    assert.equal(await page.locator('html[data-ready]').count(), 0)
    await page.locator('html[data-ready]').waitFor()
    assert.equal(await composer.inputValue(), 'Typed on a slow train')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('article').filter({ hasText: 'Typed on a slow train' }).waitFor()
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

  test(`reloads once and then says that the scripts are missing, ${screen}`, { skip }, async () => {
    const feed = await publish(`Readable without scripts, ${screen}`)
    const page = await site!.open('/design', options)
    const documents = documentsOf(page)
    await page.route('**/_/assets/client-*.js', (route) => route.fulfill({ status: 404 }))
    await page.goto(`${site!.address}/feeds/${feed.id}`)
    await page.getByText(SENTENCE).waitFor()
    await page.getByText(feed.text).first().waitFor()
    assert.deepEqual(documents, [`/feeds/${feed.id}`, `/feeds/${feed.id}`])
    await look(page, `no-scripts-${screen}`)
    assert.deepEqual(await findings(page), [])
    await page.unroute('**/_/assets/client-*.js')
    await page.getByRole('link', { name: 'Reload' }).click()
    await page.locator('html[data-ready]').waitFor()
    assert.ok(await page.getByText(SENTENCE).isHidden())
    await page.context().close()
  })

  test(`reloads nothing when a field was filled before the scripts failed, ${screen}`, { skip }, async () => {
    const page = await site!.open('/design', options)
    const documents = documentsOf(page)
    await page.route(SCRIPTS, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.fulfill({ status: 404 })
    })
    await page.goto(`${site!.address}/search`, { waitUntil: 'commit' })
    await page.locator('input[name=q]').first().fill('lighthouse')
    await page.getByText(SENTENCE).waitFor()
    assert.equal(await page.locator('input[name=q]').first().inputValue(), 'lighthouse')
    assert.deepEqual(documents, ['/search'])
    await page.context().close()
  })

  test(`opens a page of the new build when an upgrade removed its script, ${screen}`, { skip }, async () => {
    const feed = await publish(`Published before the upgrade, ${screen}`)
    const page = await site!.open('/', options)
    const documents = documentsOf(page)
    let isUpgrading = true
    await page.route(`**/${scriptOf('feed-page')}`, (route) => {
      // The document of the new build has another address for the script, so the second request succeeds.
      if (!isUpgrading) return route.continue()
      isUpgrading = false
      return route.fulfill({ status: 404 })
    })
    const loaded = page.waitForEvent('load')
    await page.locator('article').filter({ hasText: feed.text }).locator('.time').click()
    await loaded
    await page.locator('html[data-ready]').waitFor()
    await page.getByText(feed.text).first().waitFor()
    assert.deepEqual(documents, [`/feeds/${feed.id}`])
    assert.equal(await page.getByText('TypeError').count(), 0)
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

  test(`shows a sentence and a button when the script stays missing, ${screen}`, { skip }, async () => {
    const feed = await publish(`A script is gone for good, ${screen}`)
    const page = await site!.open('/', options)
    const pattern = `**/${scriptOf('topics-page')}`
    await page.route(pattern, (route) => route.fulfill({ status: 404 }))
    await page.evaluate(`sessionStorage.setItem('kith.reloaded',
      document.querySelector('script[type=module]').getAttribute('src'))`)
    await page.evaluate(`history.pushState(null, '', '/topics')`)
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    await page.getByText(SENTENCE).first().waitFor()
    await look(page, `script-missing-${screen}`)
    assert.deepEqual(await findings(page), [])
    await page.unroute(pattern)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.locator('html[data-ready]').waitFor()
    await page.getByRole('heading', { name: 'Topics', exact: true }).waitFor()
    assert.ok(feed.id > 0)
    await page.context().close()
  })

  test(`says that the browser is offline, and goes on when it is not, ${screen}`, { skip }, async () => {
    const feed = await publish(`Far from the mast, ${screen}`)
    const page = await site!.open('/', options)
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.locator('article').filter({ hasText: feed.text }).locator('.time').click()
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    await look(page, `offline-unseen-${screen}`)
    assert.deepEqual(await findings(page), [])
    await page.context().setOffline(false)
    await until(page, `document.title.includes('Far from the mast')`)
    assert.ok(await page.getByText('You are offline').isHidden())
    await page.context().close()
  })

  for (const [name, status, text] of [
    ['500', 500, 'Something went wrong on the site. Try again.'],
    ['502', 502, 'The site does not answer. Nothing is lost. Try again in a moment.'],
    ['413', 413, 'This is too large for the site.'],
    ['403', 403, 'The site refused this. Reload the page and try again.'],
  ] as const)
    test(`explains a reply ${name} of a proxy to a write and a page, ${screen}`, { skip }, async () => {
      const [feed, ada] = [await publish(`Behind a proxy, ${name} ${screen}`), await site!.person()]
      const page = await site!.open(`/feeds/${feed.id}`, { person: ada, ...options })
      await page.route('**/api/v2/**', (route) => route.fulfill({ status, ...PROXY_PAGE }))
      await page.getByLabel('Write a comment').fill('Kept in the field')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      const shown = page.getByText(text).first()
      await shown.waitFor()
      assert.equal(await page.getByLabel('Write a comment').inputValue(), 'Kept in the field')
      await look(page, `proxy-${name}-${screen}`)
      await page.evaluate(`history.pushState(null, '', '/topics')`)
      await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
      await page.locator('main').getByText(text).waitFor()
      await look(page, `proxy-page-${name}-${screen}`)
      await page.unroute('**/api/v2/**')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Topics', exact: true }).waitFor()
      await page.context().close()
    })

  test(`keeps a text when a proxy answers as if it was published, ${screen}`, { skip }, async () => {
    const [feed, ada] = [await publish(`Behind a hotel, ${screen}`), await site!.person()]
    const page = await site!.open(`/feeds/${feed.id}`, { person: ada, ...options })
    const field = page.getByLabel('Write a comment')
    await field.fill('Kept in the field')
    for (const reply of [{ body: '' }, { contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' }]) {
      await page.route('**/comments', (route) => route.fulfill({ status: 200, ...reply }))
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByText('The site does not answer. Nothing is lost. Try again in a moment.').waitFor()
      assert.equal(await field.inputValue(), 'Kept in the field')
      await page.unroute('**/comments')
      await page.reload()
      await page.locator('html[data-ready]').waitFor()
      assert.equal(await field.inputValue(), 'Kept in the field')
    }
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.locator('.comment-list').getByText('Kept in the field').waitFor()
    await page.context().close()
  })

  test(`says why the next part of a list is missing, and loads it on a click, ${screen}`, {
    skip,
  }, async () => {
    const { as, person, open } = site!
    const ada = await person()
    for (let n = 0; n < 20; n += 1)
      await as(ada, 'POST', '/feeds', { feed_content: `Buoy ${n}`, feed_from: 1, feed_mark: ++mark })
    const page = await open('/design', options)
    await page.route('**/api/v2/feeds?*after=*', (route) => route.fulfill({ status: 502, ...PROXY_PAGE }))
    await page.goto(`${site!.address}/users/${ada.id}`)
    await page.locator('html[data-ready]').waitFor()
    const more = page.getByRole('link', { name: 'Show more' })
    await more.scrollIntoViewIfNeeded()
    await page.locator('.toast', { hasText: 'The site does not answer.' }).waitFor()
    await look(page, `more-failed-${screen}`)
    await page.unroute('**/api/v2/feeds?*after=*')
    await more.click()
    await page.getByText('Buoy 0', { exact: true }).waitFor()
    await page.context().close()
  })

  test(`does not call a group empty whose posts did not load, ${screen}`, { skip }, async () => {
    const groups = groupMaker(site!)
    const ada = await site!.person()
    const group = await groups.group(ada, { name: `Rowers, ${screen}` })
    await groups.post(ada, group, { title: 'Oars for sale' })
    const page = await site!.open('/groups', options)
    const pattern = `**/api/v2/groups/${group}/posts*`
    await page.route(pattern, (route) => route.fulfill({ status: 502, ...PROXY_PAGE }))
    await page.getByRole('link', { name: `Rowers, ${screen}` }).click()
    await page.getByRole('alert').getByText('The site does not answer.').waitFor()
    assert.equal(await page.getByText('No posts to show.').count(), 0)
    await look(page, `group-posts-failed-${screen}`)
    assert.deepEqual(await findings(page), [])
    await page.unroute(pattern)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Oars for sale' }).waitFor()
    await page.context().close()
  })

  test(`refuses a file before it is sent and says why, ${screen}`, { skip }, async () => {
    const page = await site!.open('/', { person: await site!.person(), ...options })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const input = page.locator('.compose input[type=file]')
    assert.equal(
      await input.getAttribute('accept'),
      'image/jpeg,image/png,image/gif,image/webp,image/bmp,video/mp4,video/x-m4v',
    )
    const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(11 * 1024 * 1024) }
    const film = { name: 'film.webm', mimeType: 'video/webm', buffer: Buffer.from('webm') }
    const wide = { name: 'wide.png', mimeType: 'image/png', buffer: WIDE }
    for (const [file, text] of [
      [wide, 'wide.png: This is too large for the site. Choose a smaller file'],
      [large, 'large.png: This file is larger than 10 MB. Choose a smaller one.'],
      [film, 'film.webm: Only JPEG, PNG, GIF, WEBP, BMP, MP4, M4V files can be used here.'],
    ] as const) {
      await input.setInputFiles(file)
      await page.getByRole('alert').getByText(text).waitFor()
      await look(page, `refused-${file.name}-${screen}`)
      assert.deepEqual(await findings(page), [])
      assert.equal(await page.getByRole('button', { name: /^Try again/ }).count(), 0)
      await page.getByRole('button', { name: /^Remove/ }).click()
      await page.getByText(text).waitFor({ state: 'detached' })
    }
    assert.deepEqual(
      asked.filter((url) => url.includes('/api/v2/files')),
      [],
    )
    await page.context().close()
  })

  test(`says why the server or a proxy refused a file, ${screen}`, { skip }, async () => {
    const page = await site!.open('/', { person: await site!.person(), ...options })
    const input = page.locator('.compose input[type=file]')
    await input.setInputFiles({
      name: 'cut.jpg',
      mimeType: 'image/jpeg',
      buffer: JPEG.subarray(0, JPEG.length / 2),
    })
    await page.getByText('cut.jpg: This file is damaged. Choose another one.').waitFor()
    await page.getByRole('button', { name: /^Remove/ }).click()
    await page.route('**/api/v2/files', (route) => route.fulfill({ status: 413, ...PROXY_PAGE }))
    await input.setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer: PNG })
    await page.getByText('boat.png: This is too large for the site.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Try again/ }).count(), 0)
    await page.context().close()
  })

  test(`retries an upload that the network interrupted, ${screen}`, { skip }, async () => {
    const ada = await site!.person()
    const page = await site!.open('/', { person: ada, ...options })
    await page.route('**/api/v2/files', (route) => route.fulfill({ status: 500, ...PROXY_PAGE }))
    await page
      .locator('.compose input[type=file]')
      .setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer: PNG })
    await page.getByText('boat.png: Something went wrong on the site.').waitFor()
    await look(page, `upload-interrupted-${screen}`)
    await page.unroute('**/api/v2/files')
    await page.getByRole('button', { name: /^Try again/ }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published.').waitFor()
    const { body } = await site!.as(ada, 'GET', `/feeds?user=${ada.id}&type=users`)
    assert.equal(body.feeds[0].images.length, 1)
    await page.context().close()
  })

  test(`publishes a film that the browser cannot play, ${screen}`, { skip }, async () => {
    const ada = await site!.person()
    const page = await site!.open('/', { person: ada, ...options })
    await page
      .locator('.compose input[type=file]')
      .setInputFiles({ name: 'film.mp4', mimeType: 'video/mp4', buffer: mp4({}) })
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('article video').first().waitFor()
    const { body } = await site!.as(ada, 'GET', `/feeds?user=${ada.id}&type=users`)
    const { cover_id: cover } = body.feeds[0].video
    const poster = await site!.as(ada, 'GET', `/files/${cover}`)
    assert.equal(poster.status, 302)
    await page.context().close()
  })
}

test('names the reason in a conversation, and retries only what can succeed', { skip }, async () => {
  const { as, person, open } = site!
  const [ada, lin] = [await person(), await person()]
  const { body: chat } = await as(ada, 'PUT', `/chats/people/${lin.id}`)
  const page = await open(`/chats/${chat.id}`, { person: ada })
  await page
    .locator('.talk-form input[type=file]')
    .setInputFiles({ name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') })
  await page.getByText('Not sent. Only JPEG,').waitFor()
  await look(page, 'chat-refused')
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.route('**/messages', (route) => route.fulfill({ status: 502, ...PROXY_PAGE }))
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Is the ferry late?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Not sent. The site does not answer.').waitFor()
  await page.unroute('**/messages')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.message').getByRole('button', { name: 'Edit' }).waitFor()
  await page.context().close()
})

test('names sessions by browser and system', { skip }, async () => {
  const { as, person, guest, open } = site!
  const ada = await person({ name: 'ada_of_sessions' })
  const password = 'correct horse'
  await as(ada, 'PUT', '/user/password', { password, password_confirmation: password })
  const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E Safari/604.1'
  await guest('POST', '/auth/login', { login: 'ada_of_sessions', password }, { 'user-agent': agent })
  for (const [locale, name] of [
    ['en', 'Safari on iOS'],
    ['zh-CN', 'iOS 上的 Safari'],
  ] as const) {
    const page = await open('/account/sessions', { person: ada, locale })
    assert.equal(await page.getByText(name).getAttribute('title'), agent)
    await look(page, `sessions-${locale}`)
    await page.context().close()
  }
})

for (const [language, locale, colorScheme] of [
  ['zh', 'zh-CN', 'dark'],
  ['en', 'en', 'light'],
] as const)
  test(`shows failures in ${language}, ${colorScheme}`, { skip }, async () => {
    const page = await site!.open('/', {
      person: await site!.person(),
      locale,
      colorScheme,
      ...TELEPHONE,
    })
    await page.locator('.compose input[type=file]').setInputFiles([
      { name: 'boat.png', mimeType: 'image/png', buffer: await flatPicture(60, 40).png().toBuffer() },
      { name: 'notes.tiff', mimeType: 'image/tiff', buffer: Buffer.from('II*') },
    ])
    await page.getByText('notes.tiff:').waitFor()
    await look(page, `failures-upload-${language}-${colorScheme}`)
    await page.context().setOffline(true)
    await page.locator('.banner').waitFor()
    await page.evaluate(`history.pushState(null, '', '/topics')`)
    await page.locator('.empty h1').waitFor()
    await look(page, `failures-offline-${language}-${colorScheme}`)
    assert.deepEqual(await findings(page), [])
    await page.context().close()
  })
