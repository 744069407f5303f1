import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { getStoredNode } from '#modules/files/index.ts'
import { flatPicture, noisyPicture, photo } from '#test/fixtures/media.ts'
import { createWorld, type Person } from '#test/world.ts'
import { attachmentViews, storedNode, tidyNodes } from './service.ts'

const world = await createWorld()
const { ctx, sql } = world
const alice = await world.person()
const bob = await world.person()

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const png = await flatPicture(30, 20).png().toBuffer()

const task = (bytes: Buffer, more: object = {}) => ({
  filename: 'logo.png',
  hash: md5(bytes),
  size: bytes.length,
  mime_type: 'image/png',
  storage: { channel: 'public' },
  ...more,
})

type Task = { uri: string; method: 'PUT'; headers: Record<string, string>; node: string }

async function openTask(bytes: Buffer, more: object = {}, person: Person = alice): Promise<Task> {
  const answer = await world.as(person, 'POST', '/storage', task(bytes, more))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const pathOf = (uri: string) => uri.slice(new URL(uri).origin.length)

async function put({ uri, method, headers }: Task, bytes: Buffer, more: Record<string, string> = {}) {
  const reply = await world.app.inject({
    method,
    url: pathOf(uri),
    headers: { ...headers, ...more },
    payload: bytes,
  })
  return { status: reply.statusCode, body: reply.json() }
}

async function get(url: string, method: 'GET' | 'HEAD' = 'GET') {
  const reply = await world.app.inject({ method, url: url.startsWith('http') ? pathOf(url) : url })
  return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers }
}

async function stored(bytes: Buffer, more: object = {}, person = alice): Promise<string> {
  const opened = await openTask(bytes, more, person)
  assert.equal((await put(opened, bytes)).status, 201)
  return opened.node
}

const urlOf = async (node: string) => (await attachmentViews(sql, [node], ctx)).get(node)?.url ?? ''

describe('storage tasks', () => {
  test('stores a picture that the client uploads as the storage task instructs (files-7)', async () => {
    const answer = await world.as(alice, 'POST', '/storage', task(png))
    assert.equal(answer.status, 201)
    const { uri, method, headers, form, file_key, node } = answer.body
    assert.match(node, /^public:\d{4}\/\d\d\/\d\d\/[A-Za-z0-9]{64}\.png$/)
    assert.ok(uri.startsWith(`${ctx.config.publicUrl}/storage/public:`))
    assert.deepEqual([method, form, file_key], ['PUT', null, null])
    assert.deepEqual(headers, { 'x-plus-storage-hash': md5(png), 'Content-Type': 'image/png' })
    assert.ok(answer.headers['x-ratelimit-limit'])
    const done = await put(answer.body, png)
    assert.deepEqual([done.status, done.body], [201, { node }])
  })

  test('rejects a storage task with an invalid field', async () => {
    const faults: [string, object][] = [
      ['filename', { filename: '' }],
      ['filename', { filename: 'without-extension' }],
      ['hash', { hash: 'abc' }],
      ['size', { size: 0 }],
      ['size', { size: 2_097_153 }],
      ['mime_type', { mime_type: 'image/svg+xml' }],
      ['mime_type', { mime_type: 'video/mp4' }],
      ['storage', { storage: null }],
      ['storage.channel', { storage: { channel: 'private' } }],
    ]
    for (const [field, more] of faults) {
      const answer = await world.as(alice, 'POST', '/storage', task(png, more))
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body))
    }
    assert.equal((await world.guest('POST', '/storage', task(png))).status, 401)
  })

  test('accepts one upload per storage task (files-7)', async () => {
    const opened = await openTask(png)
    const results = await Promise.all([put(opened, png), put(opened, png), put(opened, png)])
    assert.deepEqual(results.map(({ status }) => status).sort(), [201, 403, 403])
    assert.equal((await put(opened, png)).status, 403)
  })

  test('allows another upload after the server rejects the first one', async () => {
    const opened = await openTask(png)
    assert.equal((await put(opened, Buffer.from('lost on the way'))).status, 422)
    assert.equal((await put(opened, png)).status, 201)
  })

  test('rejects a file that is damaged or differs from its declared hash, size or type (files-7)', async () => {
    const jpeg = await flatPicture(30, 20).jpeg().toBuffer()
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const other = await openTask(png)
    assert.equal((await put(other, jpeg)).status, 422)
    assert.equal((await put(other, png, { 'x-plus-storage-hash': md5(jpeg) })).status, 422)
    assert.equal((await put(other, Buffer.alloc(0))).status, 422)
    assert.equal((await put(await openTask(png, { size: png.length + 1 }), png)).status, 422)
    assert.equal((await put(await openTask(jpeg), jpeg)).status, 422)
    assert.equal((await put(await openTask(html), html)).status, 422)
    const cut = (await noisyPicture(60, 60).png().toBuffer()).subarray(0, 4_000)
    const broken = await put(await openTask(cut), cut)
    assert.equal(broken.status, 422)
    assert.equal(typeof broken.body.message, 'string')
  })

  test('returns 413 for an upload above the size limit', async () => {
    assert.equal((await put(await openTask(png), Buffer.alloc(2_097_153))).status, 413)
  })

  test('returns 403 for a changed or expired upload URL', async (t) => {
    const opened = await openTask(png)
    const another = await openTask(png)
    const query = opened.uri.slice(opened.uri.indexOf('?'))
    const changed = [
      opened.uri.replace(/\?.*/, ''),
      opened.uri.replace(/signature=.*/, 'signature=v1.x'),
      opened.uri.replace(/expires=\d/, 'expires=9'),
      another.uri.replace(/\?.*/, query),
      `${ctx.config.publicUrl}/storage/public:${Buffer.from('../../etc/passwd').toString('base64url')}${query}`,
    ]
    for (const uri of changed) assert.equal((await put({ ...opened, uri }, png)).status, 403, uri)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61 * 60_000 })
    assert.equal((await put(opened, png)).status, 403)
  })

  test('removes the EXIF metadata from a stored photo', async () => {
    const bytes = await photo({ orientation: 6 })
    const node = await stored(bytes, { mime_type: 'image/jpeg' })
    const view = (await attachmentViews(sql, [node], ctx)).get(node)
    assert.deepEqual(view?.dimension, { width: 40, height: 60 })
    const { bytes: shown } = await get(view?.url ?? '')
    assert.equal((await sharp(shown).metadata()).exif, undefined)
    assert.equal(view?.size, shown.length)
  })
})

describe('stored nodes', () => {
  test('serves a stored picture in full or resized (files-8)', async () => {
    const bytes = await noisyPicture(200, 100).webp().toBuffer()
    const node = await stored(bytes, { mime_type: 'image/webp' })
    const view = (await attachmentViews(sql, [node], ctx)).get(node)
    assert.deepEqual(view, {
      url: view?.url,
      vendor: 'local',
      mime: 'image/webp',
      size: bytes.length,
      dimension: { width: 200, height: 100 },
    })
    const url = view?.url ?? ''
    const whole = await get(url)
    assert.ok(whole.bytes.equals(bytes))
    assert.equal(whole.headers['content-type'], 'image/webp')
    assert.match(String(whole.headers['cache-control']), /^public, .*immutable/)
    assert.equal(whole.headers['x-content-type-options'], 'nosniff')
    assert.equal((await sharp((await get(`${url}?rule=w_50,h_500,q_30`)).bytes).metadata()).width, 50)
    assert.ok((await get(`${url}?rule=nonsense,w_x,z_5`)).bytes.equals(bytes))
    const head = await get(url, 'HEAD')
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(bytes.length)])
  })

  test('confirms a picture only after its upload has finished (files-8)', async () => {
    const node = await stored(png)
    const path = node.slice('public:'.length)
    for (const given of [
      path,
      Buffer.from(path).toString('base64'),
      Buffer.from(path).toString('base64url'),
    ]) {
      const answer = await world.as(alice, 'POST', `/storage/public:${encodeURIComponent(given)}`)
      assert.deepEqual([answer.status, answer.body], [200, { node }])
    }
    const { node: unfinished } = await openTask(png)
    const traversal = Buffer.from('../../../../etc/passwd').toString('base64url')
    const unknown = [
      encodeURIComponent(unfinished),
      `public:${traversal}`,
      `..:${traversal}`,
      `private:${Buffer.from(path).toString('base64url')}`,
      'public:..%2f..%2fetc%2fpasswd',
      'public',
      'public:',
      `public:${'a'.repeat(400)}`,
    ]
    for (const given of unknown) {
      assert.equal((await world.as(alice, 'POST', `/storage/${given}`)).status, 404, given)
      assert.equal((await get(`/storage/${given}`)).status, 404, given)
    }
  })

  test('lets only the uploader use a stored picture (files-7)', async () => {
    const node = await stored(png)
    const { node: unfinished } = await openTask(png)
    const used = await storedNode(sql, node, { ownerId: alice.id })
    assert.deepEqual(used, { node, mime: 'image/png', size: png.length, width: 30, height: 20 })
    assert.equal(await storedNode(sql, node, { ownerId: bob.id }), null)
    const refusal = { status: 422, code: 'file_not_usable' }
    await assert.rejects(getStoredNode(sql, node, { ownerId: bob.id, field: 'logo' }), refusal)
    assert.equal(await storedNode(sql, unfinished, { ownerId: alice.id }), null)
    assert.equal(await storedNode(sql, 'public:nonsense', { ownerId: alice.id }), null)
    assert.deepEqual([...(await attachmentViews(sql, [node, unfinished], ctx)).keys()], [node])
  })

  test('deletes an unused picture and its stored file after a day (files-11)', async () => {
    const [unused, used, recent] = [await stored(png), await stored(png), await stored(png)]
    const late = await openTask(png)
    const { node: unfinished } = late
    await storedNode(sql, used, { ownerId: alice.id })
    const urls = await Promise.all([unused, used, recent].map(urlOf))
    await sql`
      update storage_nodes set created_at = now() - interval '25 hours'
      where node = any(${[unused, used, unfinished]}::text[])`
    await tidyNodes(ctx, 1)
    assert.equal((await put(late, png)).status, 403)
    const statuses = await Promise.all(urls.map(async (url) => (await get(url)).status))
    assert.deepEqual(statuses, [404, 200, 200])
    assert.equal(await ctx.storage.writtenAt(unused.replace(':', '/')), undefined)
    assert.equal((await sql`select from storage_nodes where node = ${unfinished}`).length, 0)
  })

  test('keeps a picture that is attached during cleanup (files-11)', async () => {
    const node = await stored(png)
    await sql`update storage_nodes set created_at = now() - interval '25 hours' where node = ${node}`
    await sql.begin(async (tx) => {
      await storedNode(tx, node, { ownerId: alice.id })
      await tidyNodes(ctx)
    })
    assert.equal((await get(await urlOf(node))).status, 200)
  })
})
