import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

let mark = 0
const feed = (text: string, more: object = {}) => ({
  feed_content: text,
  feed_from: 1,
  feed_mark: ++mark,
  ...more,
})

async function fill() {
  const { person, as } = site!
  const ada = await person({ name: 'ada_lovelace' })
  const lin = await person({ name: '林小雨' })
  const founder = await person({ roles: ['founder'] })
  const { body } = await as(ada, 'POST', '/api/v2/feeds', feed('The tide was out so far this morning.'))
  await as(lin, 'POST', `/api/v2/feeds/${body.id}/comments`, { body: 'Bring boots the next time.' })
  await as(lin, 'POST', `/api/v2/feeds/${body.id}/like`)
  await as(lin, 'PUT', `/api/v2/user/followings/${ada.id}`)
  await as(lin, 'POST', '/api/v2/feeds', feed('Hello \u00ad@ada_lovelace\u00ad, see you at the harbour'))
  await as(founder, 'POST', `/api/v2/admin/users/${ada.id}/sanctions`, { kind: 'warning', reason: 'Be kind' })
  return { ada, lin, founder, first: body.id as number }
}
const filled = site ? await fill() : undefined

test('counts new notifications live in the title', {
  skip,
}, async () => {
  const { as } = site!
  const ben = await site!.person({ name: 'ben_reads' })
  const { body } = await as(ben, 'POST', '/api/v2/feeds', feed('Bread day.'))
  const page = await site!.open('/', { person: ben })
  await until(page, 'navigator.locks.query().then(({ held }) => held.length === 2)')
  await as(filled!.lin, 'POST', `/api/v2/feeds/${body.id}/comments`, { body: 'Three loaves, please' })
  await until(page, 'document.title.startsWith("(1) ")')
  await page.getByRole('link', { name: 'Notifications 1' }).click()
  const row = page.locator('.notice').filter({ hasText: 'Three loaves, please' })
  await row.getByText('commented on your post').click()
  await page.waitForURL(`${site!.address}/feeds/${body.id}`)
  await until(page, '!document.title.startsWith("(")')
  const counts = await as(ben, 'GET', '/api/v2/user/notification-statistics')
  assert.equal(counts.body.comment.badge, 0)
  await page.context().close()
})

const PASSWORD = 'correct horse'
const withPassword = async (name: string) => {
  const person = await site!.person({ name })
  const body = { password: PASSWORD, password_confirmation: PASSWORD }
  await site!.as(person, 'PUT', '/api/v2/user/password', body)
  return person
}

test('crops a profile picture to a square', { skip }, async () => {
  const eve = await withPassword('eve_paints')
  const page = await site!.open('/settings', { person: eve, ...TELEPHONE })
  await page.getByLabel('Username').fill('eve_paints_more')
  await page.getByLabel('About me').fill('Paints boats')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(`${site!.address}/me`)
  await page.getByText('Paints boats').waitFor()
  await page.goto(`${site!.address}/settings`)
  await page.locator('html[data-ready]').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Change profile picture' }).click()
  await (await chooser).setFiles({
    name: 'boat.png',
    mimeType: 'image/png',
    buffer: await flatPicture(64, 32).png().toBuffer(),
  })
  await page.getByRole('img', { name: /^Drag the picture/ }).press('ArrowLeft')
  await look(page, 'crop')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Use this picture' }).click()
  await page.waitForURL(`${site!.address}/me`)
  const { body } = await site!.as(eve, 'GET', '/api/v2/user')
  assert.deepEqual(
    [body.name, body.avatar.dimension.width, body.avatar.dimension.height],
    ['eve_paints_more', 512, 512],
  )
  await page.context().close()
})

test('lets a suspended user submit an appeal', { skip }, async () => {
  const { as, address, open } = site!
  const mal = await withPassword('mal_spams')
  await as(filled!.founder, 'POST', `/api/v2/admin/users/${mal.id}/sanctions`, {
    kind: 'suspension',
    reason: 'Spam in every thread',
  })
  const page = await open('/sign-in')
  await page.getByLabel('Username, e-mail or phone').fill('mal_spams')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Spam in every thread').waitFor()
  assert.deepEqual(await findings(page), [])
  await page.getByLabel('Reason for your appeal').fill('It was my little brother')
  await page.getByRole('button', { name: 'Submit appeal' }).click()
  await page.getByText('Appeal submitted. Moderators will review it.').waitFor()
  const { body } = await as(filled!.founder, 'GET', '/api/v2/admin/appeals')
  assert.ok(JSON.stringify(body).includes('It was my little brother'))
  assert.equal(page.url(), `${address}/sign-in`)
  await page.context().close()
})

test('delivers a chat message once when the first response is lost', { skip }, async () => {
  const { as, open, person, address } = site!
  const eli = await person({ name: 'eli_writes' })
  const fay = await person({ name: 'fay_reads' })
  const page = await open(`/users/${fay.id}`, { person: eli, ...TELEPHONE })
  await page.getByRole('button', { name: 'Write a message' }).click()
  await page.waitForURL(/\/chats\/\d+$/)
  const chat = Number(page.url().split('/').at(-1))
  let lost = 0
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Is the ferry late?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await as(fay, 'POST', `/api/v2/chats/${chat}/messages`, { body: 'By ten minutes.' })
  await page.getByText('By ten minutes.').waitFor()
  await look(page, 'chat')
  assert.deepEqual(await findings(page), [])
  const { body } = await as(fay, 'GET', `/api/v2/chats/${chat}/messages`)
  assert.equal(body.data.length, 2)
  await page.goto(`${address}/chats`)
  await page.getByRole('link', { name: /fay_reads/ }).waitFor()
  await look(page, 'chats')
  const seen = await as(eli, 'GET', `/api/v2/chats/${chat}`)
  assert.equal(seen.body.unread, 0)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('serves a manifest that lets browsers install the site', { skip }, async () => {
  const answer = await fetch(`${site!.address}/manifest.webmanifest`)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/)
  const manifest = (await answer.json()) as { start_url: string; icons: { src: string }[] }
  assert.equal(manifest.start_url, '/')
  assert.equal((await fetch(site!.address + manifest.icons[0]!.src)).status, 200)
  const page = await (await fetch(site!.address, { headers: { accept: 'text/html' } })).text()
  assert.ok(page.includes('<link rel="manifest" href="/manifest.webmanifest">'))
})
