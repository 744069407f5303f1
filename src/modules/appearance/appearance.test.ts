import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { flatPicture, noisyPicture } from '#test/fixtures/media.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { untilWaiting } from '#test/waiting.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://site.test' })
const { app, as, guest, person, sql, work } = world
const founder = await person({ roles: ['founder'] })

const set = (changes: object, who: Person = founder) => as(who, 'PATCH', '/admin/settings', changes)
const open = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const openPage = async () => (await open('/', { accept: 'text/html' })).body
const pathOf = (url: string) => url.slice('http://site.test'.length)
const identity = async () => (await guest('GET', '/bootstrappers')).body.identity
const store = async (width: number, height: number, who: Person = founder) =>
  storePicture(world, who, { picture: await noisyPicture(width, height).png().toBuffer() })
const sizeOf = async (bytes: Buffer) => {
  const { width, height, format } = await sharp(bytes).metadata()
  return [width, height, format]
}

test('draws all icons of the site from one upload', async () => {
  assert.equal((await set({ 'site:icon': await store(640, 600) })).status, 204)
  const { icon } = await identity()
  assert.match(icon, /^http:\/\/site\.test\/site-pictures\/icon-512\.png\?v=[\w-]{8}$/)
  const manifest = JSON.parse((await open('/manifest.webmanifest', { accept: '*/*' })).body)
  assert.deepEqual(
    manifest.icons.map(({ sizes, purpose }: Record<string, string>) => [sizes, purpose]),
    [
      ['192x192', 'any'],
      ['512x512', 'any'],
      ['512x512', 'maskable'],
    ],
  )
  for (const { src, sizes } of manifest.icons) {
    const { rawPayload, headers } = await open(pathOf(src))
    const [width] = sizes.split('x').map(Number)
    assert.deepEqual(await sizeOf(rawPayload), [width, width, 'png'])
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  }
  const page = await openPage()
  const [, apple = ''] = /rel="apple-touch-icon" href="([^"]+)"/.exec(page) ?? []
  const touch = (await open(pathOf(apple))).rawPayload
  assert.deepEqual(await sizeOf(touch), [180, 180, 'png'])
  assert.equal((await sharp(touch).metadata()).hasAlpha, false)
  const [, favicon = ''] = /rel="icon" sizes="32x32" href="([^"]+)"/.exec(page) ?? []
  for (const url of [pathOf(favicon), '/favicon.ico']) {
    const { rawPayload, headers } = await open(url)
    assert.equal(headers['content-type'], 'image/x-icon')
    assert.deepEqual([...rawPayload.subarray(0, 6)], [0, 0, 1, 0, 3, 0])
  }
  assert.doesNotMatch(page, /image\/svg\+xml/)
})

test('shows the logo in the header and the sharing picture in previews of links', async () => {
  const changes = { 'site:logo': await store(800, 200), 'site:picture': await store(700, 700) }
  assert.equal((await set(changes)).status, 204)
  const { logo, picture } = await identity()
  assert.deepEqual(await sizeOf((await open(pathOf(logo))).rawPayload), [384, 96, 'png'])
  assert.deepEqual(await sizeOf((await open(pathOf(picture))).rawPayload), [1200, 630, 'jpeg'])
  const page = await openPage()
  assert.ok(
    page.includes(`<img class="logo" src="${logo}" alt height="32"/><span>Kith</span>`),
    page.slice(0, 9_000),
  )
  assert.ok(page.includes(`<meta property="og:image" content="${picture}">`))
  await set({ 'site:logo-has-name': true })
  assert.ok((await openPage()).includes(`<img class="logo" src="${logo}" alt="Kith" height="32"/></a>`))
})

test('keeps the pictures of the site when the upload behind them is tidied', async () => {
  const node = await store(200, 200)
  await set({ 'site:icon': node })
  const { icon } = await identity()
  await sql`update storage_nodes set created_at = now() - interval '2 days' where node = ${node}`
  await addJob(sql, 'tidy_files', {})
  await work()
  assert.equal((await sql`select from storage_nodes where node = ${node}`).length, 0)
  assert.equal((await open(pathOf(icon))).statusCode, 200)
  // Forms send all settings, so an unchanged picture passes although its upload is gone.
  assert.equal((await set({ 'site:icon': node, 'site:name': 'Riverside' })).status, 204)
})

test('releases replaced and removed pictures', async () => {
  await set({ 'site:icon': await store(200, 200) })
  const before = await identity()
  const old = (await open(pathOf(before.icon))).rawPayload
  await set({ 'site:icon': await store(210, 210) })
  const next = await identity()
  assert.notEqual(next.icon, before.icon)
  assert.notDeepEqual((await open(pathOf(next.icon))).rawPayload, old)
  const count = async () => (await sql`select from site_pictures where setting = 'site:icon'`).length
  assert.equal(await count(), 5)
  assert.equal((await set({ 'site:icon': null })).status, 204)
  assert.equal(await count(), 0)
  assert.equal((await open(pathOf(next.icon))).statusCode, 404)
  assert.match(await openPage(), /rel="icon" sizes="32x32" href="\/favicon\.ico"/)
})

test('rejects a picture that is too small, unknown or of another user', async () => {
  const other = await person({ roles: ['founder'] })
  const small = storePicture(world, founder, { picture: await flatPicture(100, 100).png().toBuffer() })
  for (const node of [await small, await store(200, 200, other), 'public:2020/01/01/none.png', 'x']) {
    const { status, body } = await set({ 'site:icon': node })
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['site:icon']], node)
  }
  assert.match(JSON.stringify((await set({ 'site:icon': await small })).body), /at least 192 × 192/)
})

test('keeps the pictures of one change when two changes race', async () => {
  const nodes = await Promise.all([store(200, 200), store(300, 300), store(400, 400)])
  const replies = await Promise.all(nodes.map((node) => set({ 'site:icon': node })))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204, 204],
  )
  assert.equal((await sql`select from site_pictures where setting = 'site:icon'`).length, 5)
})

test('removes a picture that a concurrent change is storing', async () => {
  await set({ 'site:icon': await store(200, 200) })
  let removal: ReturnType<typeof set> | undefined
  await transaction(sql, async (tx) => {
    await tx`delete from site_pictures where setting = 'site:icon'`
    await tx`
      insert into site_pictures (file, setting, mime, width, height, bytes)
      values ('icon-192.png', 'site:icon', 'image/png', 192, 192, '\\x00')`
    removal = set({ 'site:icon': null })
    await untilWaiting(sql)
  })
  assert.equal((await removal)?.status, 204)
  assert.equal((await sql`select from site_pictures where setting = 'site:icon'`).length, 0)
})

test('links the style sheet of the accent, with colours corrected for both themes', async () => {
  assert.doesNotMatch(await openPage(), /site-accents/)
  assert.equal((await set({ 'site:accent': '#FFE082' })).status, 204)
  const { accent } = await identity()
  assert.equal(accent.chosen, '#ffe082')
  assert.match(await openPage(), /<link rel="stylesheet" href="\/site-accents\/ffe082\.css">/)
  const style = await open('/site-accents/ffe082.css')
  assert.equal(style.headers['content-type'], 'text/css; charset=utf-8')
  assert.match(style.body, new RegExp(`--accent: light-dark\\(${accent.light}, ${accent.dark}\\);`))
  assert.notEqual(accent.light, '#ffe082')
  assert.equal(accent.dark, '#ffe082')
  const manifest = JSON.parse((await open('/manifest.webmanifest', { accept: '*/*' })).body)
  assert.equal(manifest.theme_color, accent.light)
  for (const wrong of ['red', '#12345', '#12345g'])
    assert.equal((await set({ 'site:accent': wrong })).status, 422, wrong)
  for (const path of ['/site-accents/FFE082.css', '/site-accents/12345.css', '/site-pictures/passwd'])
    assert.equal((await open(path)).statusCode, 404, path)
})

test('suggests the setting that a misspelled name means (administration-8)', async () => {
  const { status, body } = await set({ 'site:nmae': 'Riverside', 'site:contact': 'x@site.test' })
  assert.equal(status, 422)
  assert.deepEqual(body.errors, {
    'site:nmae': ['There is no field site:nmae. Did you mean site:name?'],
  })
  const settings = (await as(founder, 'GET', '/admin/settings')).body
  assert.notEqual(settings['site:contact'], 'x@site.test')
  const unlike = await set({ somethingElse: 1 })
  assert.deepEqual(unlike.body.errors, { somethingElse: ['There is no field somethingElse.'] })
})

test('takes settings and the token from the query, and refuses misspelled names there (conventions-17, conventions-21)', async () => {
  const send = (query: string) =>
    app.inject({ method: 'PATCH', url: `/api/v2/admin/settings?token=${founder.token}&${query}` })
  assert.equal((await send('site:contact=harbour@site.test')).statusCode, 204)
  assert.equal((await as(founder, 'GET', '/admin/settings')).body['site:contact'], 'harbour@site.test')
  assert.deepEqual(Object.keys((await send('site:nmae=x')).json().errors), ['site:nmae'])
})
