import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import S3rver from 's3rver'
import sharp from 'sharp'
import { buildApp } from '#app'
import { createS3Storage } from '#platform/files'
import { createMetrics } from '#platform/observability'
import { flatPicture, noisyPicture } from '#test/fixtures/media.ts'
import { createWorld } from '#test/world.ts'

const directory = await mkdtemp(`${tmpdir()}/kith-s3-`)
const bucket = 'kith-uploads'
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const configureBuckets = [{ name: bucket, configs: [] }]
const objects = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
const { port } = await objects.run()

const world = await createWorld()
const endpoint = `http://127.0.0.1:${port}`
const storage = createS3Storage({
  bucket,
  region: 'us-east-1',
  ...keys,
  endpoint,
  forcePathStyle: true,
})
const app = await buildApp({ ...world.ctx, storage, metrics: createMetrics() })
const { token } = await world.person()
const headers = { authorization: `Bearer ${token}` }

after(async () => {
  await app.close()
  await objects.close()
  await rm(directory, { recursive: true })
})

const pathOf = (url: string) => url.slice(new URL(url).origin.length)

test('serves uploads from the bucket in full, in ranges and resized', async () => {
  const bytes = await noisyPicture(60, 40).png().toBuffer()
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a.png')
  const encoded = new Response(form)
  const sent = await app.inject({
    method: 'POST',
    url: '/api/v2/files',
    headers: { ...headers, 'content-type': encoded.headers.get('content-type') ?? '' },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
  assert.equal(sent.statusCode, 201, sent.body)
  const get = async (query: string, more = {}) => {
    const found = await app.inject({ url: `/api/v2/files/${sent.json().id}${query}`, headers })
    return app.inject({ url: pathOf(String(found.headers.location)), headers: more })
  }
  assert.ok((await get('')).rawPayload.equals(bytes))
  assert.ok((await get('', { range: 'bytes=5-9' })).rawPayload.equals(bytes.subarray(5, 10)))
  assert.equal((await sharp((await get('?w=50')).rawPayload).metadata()).width, 50)
})

test('stores the picture of a storage task in the bucket', async () => {
  const bytes = await flatPicture(30, 20).png().toBuffer()
  const hash = createHash('md5').update(bytes).digest('hex')
  const payload = {
    filename: 'a.png',
    hash,
    size: bytes.length,
    mime_type: 'image/png',
    storage: { channel: 'public' },
  }
  const task = (await app.inject({ method: 'POST', url: '/api/v2/storage', headers, payload })).json()
  const put = await app.inject({
    method: 'PUT',
    url: pathOf(task.uri),
    headers: task.headers,
    payload: bytes,
  })
  assert.equal(put.statusCode, 201, put.body)
  assert.ok((await app.inject({ url: pathOf(task.uri) })).rawPayload.equals(bytes))
  assert.ok(await storage.writtenAt(task.node.replace(':', '/')))
})
