import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openFiles } from './files.ts'

const asked = new Map<string, number>()
const store = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
  asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
  if (searchParams.has('list-type')) {
    const key = searchParams.get('prefix') === 'avatars/' ? 'avatars/000/01.png' : 'good.png'
    const bytes = await readFile(join(folder, key), 'utf8').catch(() => '')
    const found = `<Contents><Key>${key}</Key><ETag>"${bytes}"</ETag></Contents>`
    response.end(`<ListBucketResult>${pathname.startsWith('/empty') ? '' : found}</ListBucketResult>`)
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

test('rejects a missing and an empty folder, such as the place of a disk that is not mounted', async () => {
  const empty = join(folder, 'disk')
  await assert.rejects(openFiles(empty, s3), /the folder .*disk cannot be read \(ENOENT\)/)
  await mkdir(join(empty, 'avatars'), { recursive: true })
  await assert.rejects(openFiles(empty, s3), /no files below .*disk: mount the disk/)
  await writeFile(join(empty, 'avatars', '01.png'), '1')
  const files = await openFiles(empty, s3)
  assert.equal((await Array.fromAsync(files.list('avatars'))).length, 1)
  await rm(empty, { recursive: true })
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

test('lists files below a folder, with another version after each change', async () => {
  await mkdir(join(folder, 'avatars', '000'), { recursive: true })
  const list = async (place: string) => Array.fromAsync((await openFiles(place, s3)).list('avatars'))
  for (const place of [folder, 's3://bucket']) {
    await writeFile(join(folder, 'avatars', '000', '01.png'), '1')
    const first = await list(place)
    await writeFile(join(folder, 'avatars', '000', '01.png'), '22')
    const second = await list(place)
    assert.deepEqual(
      first.map(({ path }) => path),
      ['avatars/000/01.png'],
      place,
    )
    assert.deepEqual(
      second.map(({ path }) => path),
      ['avatars/000/01.png'],
      place,
    )
    assert.notEqual(first[0]?.version, second[0]?.version, place)
  }
  assert.deepEqual(await Array.fromAsync((await openFiles(folder, s3)).list('none')), [])
})
