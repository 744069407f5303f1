import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { buildApp } from '#app'
import { createMetrics } from '#platform/metrics.ts'
import { pagesOf } from '#platform/pages/pages.ts'
import { keptPagesWorld } from '#test/fixtures/kept-pages.ts'
import type { Person } from '#test/world.ts'
import { feedViewCounts } from '../src/modules/feeds/views/queries.ts'

const { world, cost, publish } = await keptPagesWorld()
const { as, guest, person, ctx } = world

describe('a page that was read before', { concurrency: false }, () => {
  test('is sent without asking the database, until one of its tables is written', async () => {
    const ann = await person()
    const id = await publish(ann)
    await guest('GET', '/feed/topics')
    await guest('GET', '/feeds')
    assert.equal(await cost(() => guest('GET', '/feeds')), 0)
    await as(ann, 'POST', `/feeds/${id}/comments`, { body: 'one more' })
    const { body } = await guest('GET', '/feeds')
    assert.equal(body.feeds[0].comments[0].body, 'one more')
    // Topics are written by neither.
    assert.equal(await cost(() => guest('GET', '/feed/topics')), 0)
  })

  test('takes one statement for a viewer, who gets their own flags in it', async () => {
    const [ann, bob, eve] = [await person(), await person(), await person()]
    const id = await publish(ann)
    await as(bob, 'POST', `/feeds/${id}/like`)
    await as(bob, 'PUT', `/user/followings/${ann.id}`)
    await as(eve, 'POST', `/feeds/${id}/collections`)
    const seen = async (who: Person) => {
      const { body } = await as(who, 'GET', '/feeds')
      const { has_like, has_collect, user } = body.feeds.find((feed: { id: number }) => feed.id === id)
      return [has_like, has_collect, user.follower, user.following]
    }
    assert.deepEqual(await seen(bob), [true, false, true, false])
    assert.deepEqual(await seen(eve), [false, true, false, false])
    assert.equal(await cost(() => seen(bob)), 1)
    await as(ann, 'PUT', `/user/followings/${bob.id}`)
    assert.deepEqual(await seen(bob), [true, false, true, true])
  })

  test('tells guests nothing that only who is signed in is told, whoever came first', async () => {
    const [ann, bob] = [await person(), await person()]
    const made = await as(ann, 'POST', '/feed/topics', { name: 'Told apart' })
    assert.equal(made.status, 201)
    const ofGuest = async (url: string) => 'has_followed' in [(await guest('GET', url)).body].flat()[0]
    const ofBob = async (url: string) => [(await as(bob, 'GET', url)).body].flat()[0].has_followed
    for (const url of ['/feed/topics', '/feed/topics?limit=3', `/feed/topics/${made.body.id}`])
      for (const guestFirst of url.includes('?') ? [true, false] : [false, true]) {
        if (guestFirst) assert.equal(await ofGuest(url), false, url)
        assert.equal(typeof (await ofBob(url)), 'boolean', url)
        assert.equal(await ofGuest(url), false, url)
      }
  })

  test('is another one for who blocks somebody', async () => {
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    const isSeen = async (who: Person) =>
      (await as(who, 'GET', '/feeds')).body.feeds.some((feed: { id: number }) => feed.id === id)
    assert.ok(await isSeen(bob))
    await as(bob, 'POST', `/user/black/${ann.id}`)
    assert.ok(!(await isSeen(bob)))
    await as(bob, 'DELETE', `/user/black/${ann.id}`)
    assert.ok(await isSeen(bob))
  })

  test('counts as a view each time that it is sent, and says so', async () => {
    const ann = await person()
    const id = await publish(ann)
    // No flush by the clock for the next seconds.
    await feedViewCounts(ctx).flush()
    const views = async () => (await guest('GET', `/feeds/${id}`)).body.feed_view_count
    assert.deepEqual([await views(), await views(), await views()], [1, 2, 3])
  })

  test('is not kept where a write came in between', async () => {
    const ann = await person()
    const ids = await Promise.all(Array.from({ length: 3 }, () => publish(ann)))
    for (let round = 0; round < 10; round += 1) {
      const text = `round ${round}`
      const [made] = await Promise.all([
        as(ann, 'POST', `/feeds/${ids[round % 3]}/comments`, { body: text }),
        ...Array.from({ length: 5 }, () => guest('GET', `/feeds?id=${ids.join()}`)),
      ])
      const { body } = await guest('GET', `/feeds?id=${ids.join()}`)
      const feed = body.feeds.find((each: { id: number }) => each.id === ids[round % 3])
      assert.equal(feed.comments[0].id, made.body.comment.id)
    }
  })
})

describe('counters that others changed', () => {
  const open = async (countsAfter: number) => {
    const keptPages = { ...ctx.config.keptPages, countsMs: 60_000, countsAfter }
    const config = { ...ctx.config, keptPages }
    const app = await buildApp({ ...ctx, config, metrics: createMetrics(), onClose: [] })
    const likesOf = async (id: number, who?: Person) => {
      const headers = who ? { authorization: `Bearer ${who.token}` } : {}
      const reply = await app.inject({ url: '/api/v2/feeds', headers })
      return reply.json().feeds.find((feed: { id: number }) => feed.id === id)
    }
    return { app, likesOf }
  }

  test('may be seen a moment later in a rush, but not by who changed them', async () => {
    const { app, likesOf } = await open(0)
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    const read = async (who?: Person) => (await likesOf(id, who)).like_count
    assert.deepEqual([await read(), await read(bob)], [0, 0])
    await as(bob, 'POST', `/feeds/${id}/like`)
    assert.equal(await read(ann), 0)
    assert.equal(await read(bob), 1)
    assert.equal(await read(ann), 1)
    await app.close()
  })

  test('are exact for everybody while there is no rush', async () => {
    const { app, likesOf } = await open(1_000_000)
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    assert.equal((await likesOf(id)).like_count, 0)
    await as(bob, 'POST', `/feeds/${id}/like`)
    assert.deepEqual([(await likesOf(id)).like_count, (await likesOf(id, ann)).like_count], [1, 1])
    const views = (await likesOf(id)).feed_view_count
    assert.equal((await likesOf(id)).feed_view_count, views + 1)
    await app.close()
  })
})

describe('what goes over the wire', () => {
  const read = (headers: Record<string, string> = {}) => world.app.inject({ url: '/api/v2/feeds', headers })

  test('is sent once to who has it already (conventions-37)', async () => {
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

  test('is compressed for who asks for it, from a size on', async () => {
    const ann = await person()
    const [first = 0] = await Promise.all(Array.from({ length: 5 }, () => publish(ann, 'word '.repeat(100))))
    // What is compressed for her is not what others get.
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
      assert.equal(
        (await read({ 'accept-encoding': accepts })).headers['content-encoding'],
        undefined,
        accepts,
      )
    const short = await world.app.inject({ url: '/api/v2/tags', headers: { 'accept-encoding': 'gzip' } })
    assert.equal(short.headers['content-encoding'], undefined)
  })

  test('differs by language only where it has words of ours', async () => {
    assert.doesNotMatch(String((await guest('GET', '/feeds')).headers.vary), /language/i)
    assert.match(String((await guest('GET', '/feeds/999999999')).headers.vary), /Accept-Language/)
  })
})

test('the memory that pages take is bounded', async () => {
  const keptPages = { ...ctx.config.keptPages, bytes: 100_000 }
  const node = { ...ctx, config: { ...ctx.config, keptPages }, metrics: createMetrics(), onClose: [] }
  const app = await buildApp(node)
  const ann = await person()
  await publish(ann, 'text '.repeat(200))
  for (let limit = 1; limit <= 50; limit += 1)
    await app.inject(`/api/v2/feeds?limit=${limit}&after=${10_000 + limit}`)
  const { pages, bytes } = pagesOf(node).state()
  assert.ok(bytes <= 100_000 && pages > 0, `${pages} pages, ${bytes} bytes`)
  assert.match(await node.metrics.render(), /http_kept_pages_total\{event="made"\} \d/)
  await app.close()
})
