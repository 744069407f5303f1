import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { createServer } from '#platform/http'
import { mp3, noisyPicture } from '#test/fixtures/media.ts'
import { newPicture, upload } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'
import type { UnpaidKind } from '../schema.ts'
import { uploadBytesRoutes, uploadRoutes } from './routes.ts'

const world = await createWorld({ MAX_UPLOAD_BYTES: '300000' })
const { ctx } = world
const alice = await world.person()

const uploaded = (person: Person, bytes: Buffer) => upload(world, person, bytes)

async function download(id: number, query = '', headers: Record<string, string> = {}, by = alice) {
  const found = await world.as(by, 'GET', `/files/${id}${query}`)
  assert.equal(found.status, 302)
  return fetchBytes(String(found.headers.location), headers)
}

async function fetchBytes(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const { pathname, search } = new URL(url)
  const reply = await world.app.inject({ method, url: pathname + search, headers })
  return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers }
}

describe('file downloads', () => {
  test('returns the URL for `json` and a redirect for `json=0` (files-9)', async () => {
    const id = await uploaded(alice, await newPicture())
    for (const query of ['?json', '?json=1', '?json=true']) {
      const answer = await world.as(alice, 'GET', `/files/${id}${query}`)
      assert.equal(answer.status, 200)
      assert.equal((await fetchBytes(answer.body.url)).status, 200)
    }
    assert.equal((await world.as(alice, 'GET', `/files/${id}?json=0`)).status, 302)
  })

  test('applies the query parameters w, h, q and b to a picture (files-9)', async () => {
    const id = await uploaded(alice, await noisyPicture(200, 100).jpeg().toBuffer())
    const small = await download(id, '?w=50&h=90')
    assert.equal((await sharp(small.bytes).metadata()).width, 50)
    const rough = await download(id, '?q=1')
    assert.ok(rough.bytes.length < (await download(id, '?q=100')).bytes.length)
    assert.ok((await download(id, '?b=100')).bytes.length < (await download(id, '?q=85')).bytes.length)
    assert.ok((await download(id, '?w=0&h=0&q=0&b=0')).bytes.equals((await download(id)).bytes))
  })

  test('rejects invalid query values', async () => {
    const id = await uploaded(alice, await newPicture())
    for (const query of ['w=-1', 'h=10001', 'q=101', 'b=101', 'w=x', 'w=1&w=x']) {
      assert.equal((await world.as(alice, 'GET', `/files/${id}?${query}`)).status, 422, query)
    }
  })

  test('serves audio without its metadata tags (files-3)', async () => {
    const id = await uploaded(alice, mp3({ tagged: true }))
    assert.ok((await download(id, '?w=10&b=5')).bytes.equals(mp3()))
  })

  test('returns 404 for an unknown upload', async () => {
    for (const id of ['999999999', '0', '-1', 'x', '9007199254740993', '1e3']) {
      assert.equal((await world.as(alice, 'GET', `/files/${id}`)).status, 404, id)
    }
  })

  test('sends headers that prevent browsers from sniffing or running a file', async () => {
    const { headers } = await download(await uploaded(alice, await newPicture()))
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.match(String(headers['content-disposition']), /^inline; filename="[0-9a-f]+\.png"$/)
    assert.match(String(headers['cache-control']), /^private, max-age=\d+/)
  })

  test('answers range requests and conditional requests', async () => {
    const bytes = await newPicture()
    const id = await uploaded(alice, bytes)
    const range = (value: string, more = {}) => download(id, '', { range: value, ...more })
    const parts: [string, number, number][] = [
      ['bytes=2-5', 2, 5],
      ['bytes=10-', 10, bytes.length - 1],
      ['bytes=-4', bytes.length - 4, bytes.length - 1],
      ['bytes=0-999999', 0, bytes.length - 1],
    ]
    for (const [value, start, end] of parts) {
      const got = await range(value)
      assert.equal(got.status, 206, value)
      assert.equal(got.headers['content-range'], `bytes ${start}-${end}/${bytes.length}`)
      assert.equal(got.headers['content-length'], String(end - start + 1))
      assert.ok(got.bytes.equals(bytes.subarray(start, end + 1)))
    }
    const beyond = await range(`bytes=${bytes.length}-`)
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${bytes.length}`])
    for (const ignored of ['bytes=5-2', 'bytes=-', 'bytes=0-1,3-4', 'lines=1-2']) {
      assert.equal((await range(ignored)).status, 200, ignored)
    }
    const whole = await download(id)
    const etag = String(whole.headers.etag)
    assert.equal((await range('bytes=0-1', { 'if-range': etag })).status, 206)
    assert.equal((await range('bytes=0-1', { 'if-range': '"another"' })).status, 200)
    const fresh = await download(id, '', { 'if-none-match': `"another", W/${etag}` })
    assert.deepEqual([fresh.status, fresh.bytes.length], [304, 0])
    assert.equal((await download(id, '?w=5', { 'if-none-match': etag })).status, 200)
    assert.equal((await download(id, '?w=5', { range: 'bytes=0-7' })).bytes.length, 8)
  })

  test('returns the length without a body for HEAD', async () => {
    const bytes = await newPicture()
    const id = await uploaded(alice, bytes)
    assert.equal((await world.as(alice, 'HEAD', `/files/${id}`)).status, 302)
    const { body } = await world.as(alice, 'GET', `/files/${id}?json=1`)
    const head = await fetchBytes(body.url, {}, 'HEAD')
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    assert.equal(head.headers['content-length'], String(bytes.length))
  })

  test('returns 403 for a changed or expired signed URL (files-9)', async (t) => {
    const id = await uploaded(alice, await newPicture())
    const { body } = await world.as(alice, 'GET', `/files/${id}?json=1&w=10`)
    const changed = [
      body.url.replace('w_16', 'w_50'),
      body.url.replace(`/files/${id}`, `/files/${id - 1}`),
      body.url.replace(/expires=\d/, 'expires=9'),
      body.url.replace(/signature=.*/, 'signature=x'),
      body.url.replace(/\?.*/, ''),
    ]
    for (const url of changed) assert.equal((await fetchBytes(url)).status, 403, url)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3 * 3_600_000 })
    assert.equal((await fetchBytes(body.url)).status, 403)
  })
})

describe('paid files', () => {
  let unpaid: UnpaidKind = null
  let isHidden = false
  const asked: number[][] = []
  async function shop() {
    const server = await createServer({
      ...ctx,
      identity: {
        findViewer: async () => null,
        recallViewer: () => null,
        hasAbility: async () => false,
        findAddressBlock: () => undefined,
        findSilence: () => undefined,
      },
    })
    await server.register(
      // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits an asynchronous plugin.
      async (api) => {
        uploadRoutes(api as never, ctx, {
          async findUnpaid(...given) {
            asked.push(given)
            return unpaid
          },
          isHidden: async () => isHidden,
          isConfidential: async () => false,
          confidential: new Set(),
        })
      },
      { prefix: '/api/v2' },
    )
    uploadBytesRoutes({ isConfidential: async () => false, isGone: async () => false })(server, ctx)
    return server
  }

  test('serves the original of a paid file only to paying viewers (files-6)', async () => {
    const server = await shop()
    after(() => server.close())
    const id = await uploaded(alice, await noisyPicture(900, 90).jpeg({ quality: 30 }).toBuffer())
    const look = async (kind: UnpaidKind, of = id) => {
      unpaid = kind
      const { statusCode, headers } = await server.inject({ url: `/api/v2/files/${of}` })
      assert.equal(headers['cache-control'], statusCode === 302 ? 'private, no-cache' : undefined)
      return { status: statusCode, rule: new URL(headers.location ?? 'http://x').searchParams.get('rule') }
    }
    assert.deepEqual(await look(null), { status: 302, rule: null })
    assert.deepEqual(await look('read'), { status: 302, rule: 'b_96' })
    assert.deepEqual(await look('download'), { status: 302, rule: 'w_720,h_720' })
    const sound = await uploaded(alice, Buffer.concat([mp3(), mp3()]))
    assert.equal((await look('listen', sound)).status, 403)
    assert.equal((await look(null, sound)).status, 302)
    assert.deepEqual(asked[0], [id, 0])
    isHidden = true
    assert.equal((await look(null)).status, 404)
  })
})
