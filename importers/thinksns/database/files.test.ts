import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openFiles } from './files.ts'

const asked = new Map<string, number>()
const store = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
  asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
  if (searchParams.has('list-type')) {
    const found = pathname.startsWith('/empty') ? '' : '<Contents><Key>good.png</Key></Contents>'
    response.end(`<ListBucketResult>${found}</ListBucketResult>`)
  } else if (pathname === '/bucket/good.png') response.end('12345')
  else if (pathname === '/bucket/broken.png') {
    response.setHeader('Content-Length', 10)
    response.write('12345')
    setImmediate(() => response.destroy())
  } else if (pathname === '/bucket/endless.png') {
    response.write('1')
    response.end('2')
  } else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
}).listen(0, '127.0.0.1')
await once(store, 'listening')
const folder = await mkdtemp(join(tmpdir(), 'kith-files-'))
after(async () => {
  store.closeAllConnections()
  store.close()
  await rm(folder, { recursive: true })
})
const s3 = {
  bucket: '',
  region: 'us-east-1',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
  endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
  forcePathStyle: true,
}
const text = async (bytes: Buffer | string) => bytes.toString()

test('rejects an unusable file source before reading any file', async () => {
  await assert.rejects(openFiles('s3:///prefix', s3), /names no bucket/)
  await assert.rejects(openFiles('s3://bucket', { ...s3, secretAccessKey: '' }), /set S3_ACCESS_KEY_ID/)
  await assert.rejects(openFiles('s3://empty', s3), /no files below/)
})

test('reads a file from an S3 bucket with the same result as from a folder', async () => {
  await writeFile(join(folder, 'good.png'), '12345')
  for (const place of [folder, 's3://bucket']) {
    const files = await openFiles(place, s3)
    assert.equal(await files.read('good.png', text), '12345', place)
    assert.equal(await files.read('none.png', text), 'missing', place)
    const small = await openFiles(place, s3, { largest: 4 })
    assert.equal(await small.read('good.png', text), 'too large', place)
  }
})

test('retries only interrupted downloads', async () => {
  const files = await openFiles('s3://bucket', s3)
  await assert.rejects(files.read('broken.png', text))
  assert.equal(asked.get('/bucket/broken.png'), 3)
  await assert.rejects(files.read('endless.png', text), /does not report the size of endless.png/)
  const before = asked.get('/bucket/good.png') ?? 0
  const failing = files.read('good.png', async () => {
    throw new Error('not to be kept')
  })
  await assert.rejects(failing, /not to be kept/)
  assert.equal(asked.get('/bucket/good.png'), before + 1)
})
