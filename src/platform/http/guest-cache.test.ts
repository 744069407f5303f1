import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createWorld } from '#test/world.ts'
import { feedViewCounts } from '../../modules/feeds/counters.ts'
import { guestCacheOf } from './caching.ts'

let queries = 0
const world = await createWorld(
  { GUEST_CACHE_MS: '60000' },
  {
    onQuery: () => {
      queries += 1
    },
  },
)
const { app, as, ctx, guest, person } = world
let mark = 0
async function publish(feed_content = 'A note.'): Promise<number> {
  mark += 1
  const made = await as(author, 'POST', '/feeds', { feed_content, feed_from: 1, feed_mark: mark })
  assert.equal(made.status, 201)
  return made.body.id
}
const author = await person()

test('serves cached replies to guests but not to members (conventions-42)', async () => {
  const id = await publish()
  const url = `/feeds?id=${id}&limit=3`
  const commentsOf = ({ body }: { body: { feeds: { feed_comment_count: number }[] } }) =>
    body.feeds[0]?.feed_comment_count
  assert.equal(commentsOf(await guest('GET', url)), 0)
  await as(author, 'POST', `/feeds/${id}/comments`, { body: 'later' })
  const before = queries
  assert.equal(commentsOf(await guest('GET', url)), 0)
  assert.equal(queries, before)
  assert.equal(commentsOf(await as(author, 'GET', url)), 1)
  assert.equal(commentsOf(await guest('GET', `/feeds?limit=3&id=${id}`)), 1)
})

test('does not cache replies to URLs of more than 1,000 characters', async () => {
  const url = `/feeds?id=${await publish()}&limit=3&none=`
  const longest = url + 'x'.repeat(1_000 - '/api/v2'.length - url.length)
  for (const [address, asked] of [
    [longest, false],
    [`${longest}x`, true],
  ] as const) {
    await guest('GET', address)
    const before = queries
    assert.equal((await guest('GET', address)).status, 200)
    assert.equal(queries > before, asked, `${address.length} signs`)
  }
})

test('counts a view when a reply comes from the cache', async () => {
  const id = await publish()
  await feedViewCounts(ctx).flush()
  for (let n = 0; n < 3; n += 1) assert.equal((await guest('GET', `/feeds/${id}`)).status, 200)
  assert.equal(feedViewCounts(ctx).pending(id), 3)
})

test('shares one reply among concurrent guest requests', async () => {
  const url = `/feeds/${await publish()}/comments?limit=7`
  const before = queries
  await guest('GET', url)
  const alone = queries - before
  const other = url.replace('7', '8')
  const replies = await Promise.all(Array.from({ length: 10 }, () => guest('GET', other)))
  assert.ok(queries - before < 3 * alone, `${queries - before} statements, ${alone} for one`)
  for (const { status, body } of replies) assert.deepEqual([status, body], [200, replies[0]?.body])
})

test('caches neither errors nor random samples', async () => {
  const missing = (await publish()) + 1
  assert.equal((await guest('GET', `/feeds/${missing}`)).status, 404)
  assert.equal(await publish(), missing)
  assert.equal((await guest('GET', `/feeds/${missing}`)).status, 200)
  const before = guestCacheOf(ctx).state().bytes
  await guest('GET', '/news/cates')
  assert.equal(guestCacheOf(ctx).state().bytes, before)
})

test('honours If-None-Match and Accept-Encoding for cached replies', async () => {
  const url = `/api/v2/feeds?id=${await publish('long '.repeat(300))}`
  const plain = await app.inject({ url })
  const { etag } = plain.headers
  const packed = () => app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  for (const { headers, rawPayload } of [await packed(), await packed()]) {
    assert.deepEqual([headers['content-encoding'], headers.etag], ['gzip', etag])
    assert.equal(gunzipSync(rawPayload).toString(), plain.body)
  }
  const known = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
  assert.deepEqual(
    [known.statusCode, known.body, known.headers['cache-control']],
    [304, '', 'public, no-cache'],
  )
})

test('counts a long URL towards the memory of its cached reply', async () => {
  const before = guestCacheOf(ctx).state().bytes
  await guest('GET', `/feed/topics?only=${'x'.repeat(2000)}`)
  assert.equal(guestCacheOf(ctx).state().bytes, before)
  for (let n = 0; n < 50; n += 1) await guest('GET', `/feed/topics?limit=1&x=${n}${'x'.repeat(800)}`)
  const each = (guestCacheOf(ctx).state().bytes - before) / 50
  assert.ok(each > 1600 && each < 10_000, `${each} bytes for each address`)
})
