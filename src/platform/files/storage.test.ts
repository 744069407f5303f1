import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import S3rver from 's3rver'
import { createLocalStorage } from './local.ts'
import { createS3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-storage-'))
const bucket = 'kith-uploads'
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(folder, 's3'),
  configureBuckets: [{ name: bucket, configs: [] }],
})
const s3Options = {
  bucket,
  region: 'us-east-1',
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
  forcePathStyle: true,
}
let endpoint: string

before(async () => {
  await mkdir(join(folder, 's3'))
  endpoint = `http://127.0.0.1:${(await server.run()).port}`
})
after(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const stores: Record<'local' | 's3', () => Storage> = {
  local: () => createLocalStorage(join(folder, 'local')),
  s3: () => createS3Storage({ ...s3Options, endpoint }),
}

const text = async (opened: { stream: Readable }) => (await buffer(opened.stream)).toString()

for (const vendor of ['local', 's3'] as const) {
  describe(`stores files in ${vendor} storage`, () => {
    let storage: Storage
    before(() => {
      storage = stores[vendor]()
    })

    test('lists files below a folder', async () => {
      const given = ['listed/a', 'listed/b/c', 'listed/b/d/e.png']
      for (const key of [...given, 'listed-not/f'])
        await storage.put(key, Buffer.from('x'), { mime: 'text/plain' })
      const keys: string[] = []
      for await (const key of storage.list('listed')) keys.push(key)
      assert.deepEqual(keys.sort(), given)
      for await (const key of storage.list('nothing')) assert.fail(key)
    })

    test('returns the write time of a file', async () => {
      await storage.put('dated/a', Buffer.from('x'), { mime: 'text/plain' })
      const at = await storage.writtenAt('dated/a')
      assert.ok(at && Math.abs(Date.now() - at.getTime()) < 3_600_000)
      assert.equal(await storage.writtenAt('dated/none'), undefined)
    })

    test('returns the bytes of a file', async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251))
      await storage.put('files/ab/one.bin', bytes, { mime: 'application/octet-stream' })
      const opened = await storage.open('files/ab/one.bin')
      assert.equal(storage.vendor, vendor)
      assert.equal(opened.size, bytes.length)
      assert.ok(bytes.equals(await buffer(opened.stream)))
    })

    test('copies a file without removing the original', async () => {
      const path = join(folder, `${vendor}-upload`)
      await writeFile(path, 'from a file')
      await storage.put('files/path.txt', { path }, { mime: 'text/plain' })
      assert.equal(await text(await storage.open('files/path.txt')), 'from a file')
      assert.ok((await stat(path)).isFile())
    })

    test('stores an empty object', async () => {
      await storage.put('empty', Buffer.alloc(0), { mime: 'text/plain' })
      const opened = await storage.open('empty')
      assert.equal(opened.size, 0)
      assert.equal(await text(opened), '')
    })

    test('reports the size of the whole file when opening a byte range', async () => {
      await storage.put('range.txt', Buffer.from('0123456789'), { mime: 'text/plain' })
      const opened = await storage.open('range.txt', { start: 2, end: 4 })
      assert.equal(opened.size, 10)
      assert.equal(await text(opened), '234')
    })

    test('replaces an object on a second put', async () => {
      await storage.put('twice.txt', Buffer.from('a longer first text'), { mime: 'text/plain' })
      await storage.put('twice.txt', Buffer.from('second'), { mime: 'text/plain' })
      assert.equal(await text(await storage.open('twice.txt')), 'second')
    })

    // Skips S3, because its test server mixes the bytes of concurrent puts, unlike real stores.
    if (vendor === 'local')
      test('stores one complete object when puts are concurrent', async () => {
        const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(200_000))
        await Promise.all(texts.map((t) => storage.put('race', Buffer.from(t), { mime: 'text/plain' })))
        assert.ok(texts.includes(await text(await storage.open('race'))))
      })

    test('reports a removed object as missing', async () => {
      await storage.put('gone.txt', Buffer.from('x'), { mime: 'text/plain' })
      assert.ok(await storage.writtenAt('gone.txt'))
      await storage.remove('gone.txt')
      await storage.remove('gone.txt')
      assert.equal(await storage.writtenAt('gone.txt'), undefined)
      await assert.rejects(storage.open('gone.txt'), { name: 'StorageError', fault: 'missing' })
    })

    test('rejects an invalid key', async () => {
      const keys = ['', '/etc/passwd', '../up', 'a/../../up', 'a/./b', 'a//b', 'a/', '.tmp/x', 'a\\b', 'a\0b']
      for (const key of [...keys, 'ü', 'a'.repeat(513)]) {
        const refused = { name: 'StorageError', fault: 'invalid_key' }
        await assert.rejects(storage.put(key, Buffer.from('x'), { mime: 'text/plain' }), refused, key)
        await assert.rejects(storage.open(key), refused, key)
        await assert.rejects(storage.remove(key), refused, key)
        await assert.rejects(storage.writtenAt(key), refused, key)
        await assert.rejects(Array.fromAsync(storage.list(key)), refused, key)
      }
    })

    test('stores no object when the source is unreadable', async () => {
      const source = { path: join(folder, 'no-such-upload') }
      await assert.rejects(storage.put('never', source, { mime: 'text/plain' }), { name: 'StorageError' })
      assert.equal(await storage.writtenAt('never'), undefined)
    })
  })
}

test('lists only files with valid keys in a local store', async () => {
  const root = join(folder, 'others')
  const storage = createLocalStorage(root)
  await storage.tidy()
  await storage.put('shared/ours', Buffer.from('x'), { mime: 'text/plain' })
  await writeFile(join(root, 'shared', '.hidden'), 'of somebody else')
  await writeFile(join(root, 'shared', 'with a space'), 'of somebody else')
  assert.deepEqual(await Array.fromAsync(storage.list('shared')), ['shared/ours'])
})

test('reports an unresponsive object store as unavailable', async () => {
  const listener = createServer((request, response) => {
    request.resume()
    if (request.url?.includes('begun')) response.writeHead(200, { 'content-length': 1000 }).write('begun')
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const storage = createS3Storage({ ...s3Options, endpoint: `http://127.0.0.1:${port}`, silenceMs: 300 })
  const path = join(folder, 'silent')
  await writeFile(path, Buffer.alloc(9 * 1024 * 1024))
  const first = async () => {
    for await (const key of storage.list('silent')) return key
  }
  try {
    const attempts = [
      storage.put('silent', Buffer.from('x'), { mime: 'text/plain' }),
      storage.put('silent', { path }, { mime: 'text/plain' }),
      storage.open('silent'),
      storage.writtenAt('silent'),
      storage.remove('silent'),
      first(),
    ]
    await Promise.all(attempts.map((attempt) => assert.rejects(attempt, { fault: 'unavailable' })))
    const { stream } = await storage.open('begun')
    await assert.rejects(buffer(stream))
  } finally {
    listener.closeAllConnections()
    listener.close()
  }
})

test('uploads a large file in parts', async () => {
  const sent: [part: string | null, size: number][] = []
  const listener = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://store')
    const { length } = await buffer(request)
    if (request.method === 'PUT') sent.push([searchParams.get('partNumber'), length])
    const answer = searchParams.has('uploads')
      ? 'InitiateMultipartUploadResult'
      : 'CompleteMultipartUploadResult'
    response
      .setHeader('ETag', '"etag"')
      .end(request.method === 'PUT' ? '' : `<${answer}><UploadId>upload</UploadId></${answer}>`)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const storage = createS3Storage({ ...s3Options, endpoint: `http://127.0.0.1:${port}` })
  const path = join(folder, 'large')
  for (const size of [1024, 9 * 1024 * 1024]) {
    await writeFile(path, Buffer.alloc(size))
    await storage.put('large', { path }, { mime: 'text/plain' })
  }
  assert.deepEqual(sent, [
    [null, 1024],
    ['1', 8 * 1024 * 1024],
    ['2', 1024 * 1024],
  ])
  listener.closeAllConnections()
  listener.close()
})

test('does not treat a folder of the local store as an object', async () => {
  const storage = stores.local()
  await storage.put('folder/inside', Buffer.from('x'), { mime: 'text/plain' })
  await assert.rejects(storage.open('folder'), { fault: 'missing' })
  await assert.rejects(storage.open('folder/inside/deeper'), { fault: 'missing' })
})

// `ulimit` makes the write fail, as a full disk does.
test('leaves no incomplete file when the disk is full', {
  skip: process.platform === 'win32',
}, async () => {
  const root = join(folder, 'full')
  const script = `
    import { createLocalStorage } from ${JSON.stringify(fileURLToPath(new URL('./local.ts', import.meta.url)))}
    const storage = createLocalStorage(process.env.ROOT)
    const fault = await storage.put('big', Buffer.alloc(1 << 20), { mime: 'text/plain' }).catch((e) => e.fault)
    process.stdout.write(fault + ' ' + (await storage.writtenAt('big')))`
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `trap '' XFSZ; ulimit -f 64; exec "$NODE" --input-type=module --eval "$SCRIPT"`],
    { env: { ...process.env, ROOT: root, NODE: process.execPath, SCRIPT: script } },
  )
  assert.equal(stdout, 'full undefined')
  assert.deepEqual(await readdir(join(root, '.tmp')), [])
})

test('reports an unreachable object store as unavailable', async () => {
  const storage = createS3Storage({ ...s3Options, endpoint: 'http://127.0.0.1:1' })
  await assert.rejects(storage.writtenAt('x'), { name: 'StorageError', fault: 'unavailable' })
  await assert.rejects(storage.open('x'), { name: 'StorageError', fault: 'unavailable' })
})

test('reports a missing bucket as unavailable storage, not as a missing file', async () => {
  const storage = createS3Storage({ ...s3Options, endpoint, bucket: 'another' })
  await assert.rejects(storage.open('x'), { name: 'StorageError', fault: 'unavailable' })
})
