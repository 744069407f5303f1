import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

await buildSite()
const { app, person } = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers: { accept: '*/*', ...headers } })
const page = (url: string, headers = {}) => get(url, { accept: 'text/html', ...headers })

type Picture = { src: string; sizes: string; type: string; purpose?: string; form_factor?: string }
type Manifest = { lang: string; name: string; id: string; icons: Picture[]; screenshots: Picture[] }
const ICONS_MOST_BYTES = 16_000
const SCREENSHOT_MOST_BYTES = 60_000

test('serves a manifest with icons and screenshots of the declared sizes', async () => {
  for (const [language, tag] of [
    ['en', 'en'],
    ['zh', 'zh-CN'],
  ] as const) {
    const answer = await get('/manifest.webmanifest', { 'accept-language': language })
    const { lang, id, icons, screenshots } = answer.json<Manifest>()
    assert.deepEqual([lang, id], [tag, '/'])
    assert.deepEqual(
      icons.map(({ sizes, purpose }) => [sizes, purpose]),
      [
        ['any', 'any'],
        ['192x192', 'any'],
        ['512x512', 'any'],
        ['512x512', 'maskable'],
      ],
    )
    assert.deepEqual(
      screenshots.map(({ form_factor: form }) => form),
      ['narrow', 'wide'],
    )
    let bytes = 0
    for (const { src, sizes, type } of [...icons, ...screenshots]) {
      assert.match(src, /^\/_\/assets\/[\w-]+\.\w+$/)
      const picture = await get(src)
      assert.deepEqual([picture.statusCode, picture.headers['content-type']], [200, type], src)
      const { width, height } = await sharp(picture.rawPayload).metadata()
      if (sizes !== 'any') assert.equal(`${width}x${height}`, sizes)
      assert.ok(picture.rawPayload.length < SCREENSHOT_MOST_BYTES, src)
      if (type !== 'image/webp') bytes += picture.rawPayload.length
    }
    assert.ok(bytes < ICONS_MOST_BYTES, `${bytes} bytes of icons`)
  }
})

test('keeps the mark of a maskable icon within the circle that launchers cut', async () => {
  const { icons } = (await get('/manifest.webmanifest')).json<Manifest>()
  const { src = '' } = icons.find(({ purpose }) => purpose === 'maskable') ?? {}
  const { data, info } = await sharp((await get(src)).rawPayload)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const colorAt = (x: number, y: number) =>
    [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)].join()
  const paper = colorAt(0, 0)
  for (let y = 0; y < info.height; y += 4)
    for (let x = 0; x < info.width; x += 4)
      if (Math.hypot(x - 256, y - 256) > 0.4 * 512) assert.equal(colorAt(x, y), paper, `${x},${y}`)
  assert.notEqual(colorAt(256, 256), paper)
})

test('serves icons and the worker at the addresses that browsers ask for', async () => {
  const icon = await get('/favicon.ico')
  assert.equal(icon.statusCode, 200)
  assert.match(String(icon.headers['content-type']), /^image\//)
  assert.equal(icon.headers['cache-control'], 'public, max-age=86400')
  assert.deepEqual([...icon.rawPayload.subarray(0, 6)], [0, 0, 1, 0, 3, 0])
  const worker = await get('/sw.js')
  assert.equal(worker.statusCode, 200)
  assert.match(String(worker.headers['content-type']), /javascript/)
  assert.equal(worker.headers['cache-control'], 'no-cache')
  // A policy on the script would apply to the requests of the worker.
  assert.equal(worker.headers['content-security-policy'], undefined)
  for (const event of ['fetch', 'push', 'notificationclick'])
    assert.match(worker.body, new RegExp(`addEventListener\\("${event}"`))
})

test('names its files without `..`', async () => {
  const { body } = await page('/')
  const files = [...body.matchAll(/(?:href|src)="([^"]*\/_\/[^"]*)"/g)].map(([, file = '']) => file)
  assert.ok(files.length > 5)
  for (const file of files) {
    assert.match(file, /^\/_\/assets\/[\w.-]+$/)
    assert.ok(!file.includes('..'), file)
    assert.equal((await get(file)).statusCode, 200, file)
  }
  assert.match(body, /<link rel="apple-touch-icon" href="\/_\/assets\/apple-touch-icon-\w+\.png">/)
})

test('names the account of a page, so that the worker stores pages by account', async () => {
  const ada = await person()
  const accountOf = async (url: string, headers = {}) => (await page(url, headers)).headers['x-kith-account']
  const cookie = { cookie: cookieOf(ada) }
  assert.equal(await accountOf('/'), '0')
  assert.equal(await accountOf('/', cookie), String(ada.id))
  assert.equal(await accountOf('/account/sessions', cookie), String(ada.id))
  assert.equal(await accountOf('/account/sessions'), '0')
  assert.equal(await accountOf('/nowhere', cookie), String(ada.id))
  assert.equal(await accountOf('/', { cookie: 'kith_session=forged-token-of-somebody.9999999999' }), '0')
  assert.equal(await accountOf('/feeds.atom'), undefined)
})
