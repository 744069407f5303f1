import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageCache } from './pages.ts'

const pageOf = (body: string) => ({ status: 200, type: 'text/html', body, isSignedOut: false })

test('bounds the memory of cached pages and their URLs', async () => {
  const cache = createPageCache(60_000)
  const long = 'x'.repeat(100_000)
  for (let n = 0; n < 200; n += 1) await cache.get(`en auto true /?n=${n}`, async () => pageOf(long + n))
  for (let n = 0; n < 2_000; n += 1) await cache.get(`/?n=${n}${'y'.repeat(8_000)}`, async () => pageOf(''))
  assert.ok(cache.bytes() > 15 * 1024 * 1024)
  assert.ok(cache.bytes() <= 16 * 1024 * 1024)
})

test('renders a page once for concurrent requests', async () => {
  const cache = createPageCache(60_000)
  let rendered = 0
  const render = async () => {
    rendered += 1
    return pageOf('a page')
  }
  const pages = await Promise.all([1, 2, 3].map(() => cache.get('/', render)))
  assert.deepEqual([rendered, pages.map((page) => page?.body)], [1, ['a page', 'a page', 'a page']])
  await cache.get('/', render)
  assert.equal(rendered, 1)
})

test('renders a page again after a failure', async () => {
  const cache = createPageCache(60_000)
  const render = async () => pageOf('a page')
  await assert.rejects(
    cache.get('/feeds', () => Promise.reject(new Error('no database'))),
    /no database/,
  )
  assert.equal((await cache.get('/feeds', render))?.body, 'a page')
  assert.equal(await cache.get('/nothing', async () => undefined), undefined)
  assert.equal((await cache.get('/nothing', render))?.body, 'a page')
})

test('caches no page when GUEST_CACHE_MS is 0', async () => {
  const cache = createPageCache(0)
  const bodies = ['one', 'two'].map((body) => cache.get('/', async () => pageOf(body)))
  assert.deepEqual(
    (await Promise.all(bodies)).map((page) => page?.body),
    ['one', 'two'],
  )
  assert.equal(cache.bytes(), 0)
})
