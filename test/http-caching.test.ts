import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createWorld, type Person } from '#test/world.ts'
import { feedViewCounts } from '../src/modules/feeds/counters.ts'

const world = await createWorld()
const { as, guest, person, ctx } = world

let mark = 0
async function publish(author: Person, text = 'A short note.'): Promise<number> {
  mark += 1
  const made = await as(author, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: mark })
  assert.equal(made.status, 201)
  return made.body.id
}

test('counts a view for each request of a feed', async () => {
  const ann = await person()
  const id = await publish(ann)
  await feedViewCounts(ctx).flush()
  const views = async () => (await guest('GET', `/feeds/${id}`)).body.feed_view_count
  assert.deepEqual([await views(), await views(), await views()], [1, 2, 3])
})

const read = (headers: Record<string, string> = {}) => world.app.inject({ url: '/api/v2/feeds', headers })

test('returns 304 when the client has the current version (conventions-37)', async () => {
  const ann = await person()
  for (const [who, url] of [
    [undefined, '/feed/topics'],
    [undefined, '/users?limit=3'],
    [ann, '/user'],
  ] as const) {
    const get = (headers: Record<string, string> = {}) =>
      who ? as(who, 'GET', url, undefined, headers) : guest('GET', url, undefined, headers)
    const { headers, status } = await get()
    assert.equal(status, 200)
    assert.match(String(headers.etag), /^W\/"[\w-]{20}"$/)
    assert.match(String(headers.vary), /Accept-Encoding, Authorization/)
    assert.equal(headers['cache-control'], who ? 'no-store' : 'public, no-cache')
    const again = await get({ 'if-none-match': `"other", ${headers.etag}` })
    assert.deepEqual([again.status, again.body, again.headers.etag], [304, null, headers.etag])
    assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)
  }
})

test('compresses large responses when the client accepts the encoding', async () => {
  const ann = await person()
  const [first = 0] = await Promise.all(Array.from({ length: 5 }, () => publish(ann, 'word '.repeat(100))))
  // The viewer's like must not reach guests through a cached compressed response.
  await as(ann, 'POST', `/feeds/${first}/like`)
  const plain = (await read()).json().feeds.map(({ id }: { id: number }) => id)
  for (const [accepts, name, decode] of [
    ['gzip', 'gzip', gunzipSync],
    ['br, gzip;q=0.5', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
  ] as const)
    for (const bearer of [{}, { authorization: `Bearer ${ann.token}` }]) {
      const { headers, rawPayload } = await read({ 'accept-encoding': accepts, ...bearer })
      assert.equal(headers['content-encoding'], name)
      assert.equal(Number(headers['content-length']), rawPayload.length)
      const { feeds } = JSON.parse(decode(rawPayload).toString())
      const { has_like } = feeds.find(({ id }: { id: number }) => id === first)
      assert.equal(has_like, 'authorization' in bearer)
      assert.deepEqual(
        feeds.map(({ id }: { id: number }) => id),
        plain,
      )
    }
  for (const accepts of ['identity', 'gzip;q=0', 'deflate', 'nonsense;;q=x', ''])
    assert.equal((await read({ 'accept-encoding': accepts })).headers['content-encoding'], undefined, accepts)
  const short = await world.app.inject({ url: '/api/v2/tags', headers: { 'accept-encoding': 'gzip' } })
  assert.equal(short.headers['content-encoding'], undefined)
})

test('sends `Vary: Accept-Language` only for responses with translated texts', async () => {
  assert.doesNotMatch(String((await guest('GET', '/feeds')).headers.vary), /language/i)
  assert.match(String((await guest('GET', '/feeds/999999999')).headers.vary), /Accept-Language/)
})
