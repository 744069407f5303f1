import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { attachFiles, detachFiles, fileViews } from '#modules/files/index.ts'
import { runJobs } from '#platform/jobs'
import {
  animatedGif,
  bmp,
  flac,
  flatPicture,
  mp3,
  mp4,
  noisyPicture,
  ogg,
  photo,
  wav,
} from '#test/fixtures/media.ts'
import { multipart, newPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'
import { fileTasks } from '../module.ts'
import { tidyUploads } from './service.ts'

const world = await createWorld({ MAX_UPLOAD_BYTES: '300000' })
const { ctx, sql } = world
const alice = await world.person()
const bob = await world.person()

const hashOf = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

async function send(person: Person, parts: [string, Buffer | string][]) {
  const { payload, headers } = await multipart(parts)
  return world.as(person, 'POST', '/files', payload, headers)
}

const upload = (person: Person, bytes: Buffer) => send(person, [['file', bytes]])

async function uploaded(person: Person, bytes: Buffer): Promise<number> {
  const answer = await upload(person, bytes)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

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

async function objects(): Promise<number> {
  const entries = await readdir(join(ctx.config.dataDir, 'uploads', 'files'), {
    recursive: true,
    withFileTypes: true,
  })
  return entries.filter((entry) => entry.isFile()).length
}

test('declares the limits and types of uploads (files-17)', async () => {
  const { uploads } = (await world.guest('GET', '/bootstrappers')).body
  assert.deepEqual([uploads.max_bytes, uploads.max_pixels], [300_000, 50_000_000])
  assert.deepEqual(
    [uploads.node_max_bytes, uploads.node_mime_types.length, uploads.node_mime_types[0]],
    [2_097_152, 4, 'image/png'],
  )
  const pictures = await Promise.all(
    (['jpeg', 'png', 'gif', 'webp'] as const).map((format) => flatPicture(8, 8)[format]().toBuffer()),
  )
  const samples = [...pictures, bmp(8, 8, 24), mp4({}), mp3(), ogg(), flac(), wav()]
  const ids: number[] = []
  for (const sample of samples) ids.push(await uploaded(alice, sample))
  const views = await fileViews(sql, ids)
  const aliases = ['audio/mp4', 'audio/x-m4a', 'video/x-m4v']
  assert.deepEqual(
    [...[...views.values()].map(({ mime }) => mime), ...aliases].sort(),
    uploads.mime_types.toSorted(),
  )
})

describe('file uploads', () => {
  test('serves an uploaded picture by its id', async () => {
    const bytes = await newPicture(30, 20)
    const answer = await send(alice, [
      ['width', '30'],
      ['height', '20'],
      ['file', bytes],
    ])
    assert.equal(answer.status, 201)
    assert.equal(typeof answer.body.message[0], 'string')
    const { id } = answer.body
    assert.deepEqual((await fileViews(sql, [id])).get(id), { id, file: id, size: '30x20', mime: 'image/png' })
    const got = await download(id)
    assert.equal(got.status, 200)
    assert.ok(got.bytes.equals(bytes))
  })

  test('stores a file with its detected media type and size (files-1, files-8)', async () => {
    const kinds: [Buffer, string, string | null][] = [
      [await noisyPicture(20, 10).jpeg().toBuffer(), 'image/jpeg', '20x10'],
      [await noisyPicture(20, 10).webp().toBuffer(), 'image/webp', '20x10'],
      [await animatedGif(12, 8, 3), 'image/gif', '12x8'],
      [bmp(7, 5, 24), 'image/bmp', '7x5'],
      [mp4({ width: 640, height: 360, place: '+48.2082+016.3738/' }), 'video/mp4', '640x360'],
      [mp4({ soundOnly: true }), 'audio/mp4', null],
      [mp3(), 'audio/mpeg', null],
      [ogg(), 'audio/ogg', null],
      [flac(), 'audio/flac', null],
      [wav(), 'audio/wav', null],
    ]
    for (const [bytes, mime, size] of kinds) {
      const id = await uploaded(alice, bytes)
      assert.deepEqual((await fileViews(sql, [id])).get(id), { id, file: id, size, mime })
      const got = await download(id)
      assert.equal(got.headers['content-type'], mime)
      assert.ok(!got.bytes.includes('+48.2082'))
    }
  })

  test('removes the EXIF and XMP metadata from a photo (files-3)', async () => {
    const id = await uploaded(alice, await photo({ orientation: 6 }))
    assert.equal((await fileViews(sql, [id])).get(id)?.size, '40x60')
    const { exif, xmp, width } = await sharp((await download(id)).bytes).metadata()
    assert.deepEqual([exif, xmp, width], [undefined, undefined, 40])
  })

  const refused: [string, () => Promise<Buffer> | Buffer][] = [
    ['HTML named as a picture', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an empty file', () => Buffer.alloc(0)],
    ['a picture cut short', async () => (await noisyPicture(90, 90).png().toBuffer()).subarray(0, 9_000)],
    ['a sound over the size limit', () => Buffer.concat([wav(), Buffer.alloc(300_000)])],
    [
      'a picture of too many pixels',
      () => flatPicture(8_000, 6_251).png({ palette: true, colours: 2 }).toBuffer(),
    ],
  ]
  for (const [name, bytes] of refused) {
    test(`rejects ${name} without storing a file`, async () => {
      const before = await objects()
      const answer = await upload(alice, await bytes())
      assert.equal(answer.status, 422)
      assert.equal(typeof answer.body.errors.file[0], 'string')
      assert.equal(await objects(), before)
    })
  }

  test('accepts a file of exactly the size limit (files-2)', async () => {
    const limit = 300_000
    const start = wav()
    const bytes = Buffer.concat([start, Buffer.alloc(limit - start.length)])
    assert.equal((await upload(alice, bytes)).status, 201)
  })

  test('rejects a request without a multipart file', async () => {
    const other = await send(alice, [['picture', await newPicture()]])
    const fields = await send(alice, [['file', 'text']])
    const json = await world.as(alice, 'POST', '/files', { file: 'text' })
    const nothing = await world.as(alice, 'POST', '/files')
    for (const answer of [other, fields, json, nothing]) {
      assert.equal(answer.status, 422)
      assert.ok(answer.body.errors.file)
    }
  })

  test('rejects a truncated or invalid multipart body (files-2)', async () => {
    const { payload, headers } = await multipart([['file', await noisyPicture(90, 90).png().toBuffer()]])
    for (const cut of [payload.subarray(0, payload.length / 2), payload.subarray(0, 20), Buffer.alloc(0)]) {
      const answer = await world.as(alice, 'POST', '/files', cut, headers)
      assert.equal(answer.status, 422, JSON.stringify(answer.body))
    }
    const unbounded = await world.as(alice, 'POST', '/files', payload, {
      'content-type': 'multipart/form-data',
    })
    assert.ok([400, 422].includes(unbounded.status), JSON.stringify(unbounded))
  })

  test('rejects uploads by guests', async () => {
    const { payload, headers } = await multipart([['file', await newPicture()]])
    assert.equal((await world.guest('POST', '/files', payload, headers)).status, 401)
  })
})

describe('deduplication of uploads', () => {
  test('stores identical uploads of one user once, with an id for each use (files-4)', async () => {
    const bytes = await newPicture()
    const first = await uploaded(alice, bytes)
    const before = await objects()
    const second = await uploaded(alice, bytes)
    assert.notEqual(first, second)
    assert.equal(await objects(), before)
  })

  test('stores concurrent identical uploads of one user once', async () => {
    const bytes = await newPicture()
    const before = await objects()
    const ids = await Promise.all(Array.from({ length: 8 }, () => uploaded(alice, bytes)))
    assert.equal(new Set(ids).size, 8)
    assert.equal(await objects(), before + 1)
    for (const id of ids) assert.ok((await download(id)).bytes.equals(bytes))
  })

  test("reuses the viewer's upload by its md5 (files-5)", async () => {
    const bytes = await photo()
    const first = await uploaded(alice, bytes)
    const found = await world.as(alice, 'GET', `/files/uploaded/${hashOf(bytes).toUpperCase()}`)
    assert.equal(found.status, 200)
    assert.equal(typeof found.body.message[0], 'string')
    assert.ok(found.body.id > first)
  })

  test('returns 404 for an md5 that matches no upload of the viewer (files-5)', async () => {
    const bytes = await newPicture()
    await uploaded(alice, bytes)
    for (const md5 of [hashOf(bytes), '0'.repeat(32), 'short', 'z'.repeat(32)]) {
      assert.equal((await world.as(bob, 'GET', `/files/uploaded/${md5}`)).status, 404)
    }
    assert.equal((await world.guest('GET', `/files/uploaded/${hashOf(bytes)}`)).status, 401)
  })

  test('stores a separate file when another user uploads an identical file', async () => {
    const bytes = await newPicture()
    await uploaded(alice, bytes)
    const before = await objects()
    await uploaded(bob, bytes)
    assert.equal(await objects(), before + 1)
  })
})

describe('cleanup of uploads', () => {
  const days = (id: number) =>
    sql`update file_uses set created_at = now() - interval '25 hours' where id = ${id}`
  const waitFor = async (condition: () => Promise<boolean>) => {
    for (let i = 0; i < 100 && !(await condition()); i += 1) await new Promise((r) => setTimeout(r, 50))
    assert.ok(await condition())
  }
  const known = async (id: number) => (await world.as(bob, 'GET', `/files/${id}`)).status === 302

  test('deletes uploads that stay unattached for a day (files-11)', async () => {
    const bytes = await newPicture()
    const [stale, attached, recent] = [
      await uploaded(bob, await newPicture()),
      await uploaded(bob, bytes),
      await uploaded(bob, bytes),
    ]
    await days(stale)
    await days(attached)
    const use = { ids: [attached], ownerId: bob.id, channel: 'test:image', raw: 2, field: 'images' }
    await sql.begin((tx) => attachFiles(tx, use))
    const before = await objects()
    const runner = await runJobs(world.connection, [{ concurrency: 1, tasks: fileTasks(ctx) }], [], ctx.log)
    after(() => runner.stop())
    await sql`select graphile_worker.add_job('tidy_files')`
    await waitFor(async () => (await objects()) === before - 1)
    assert.deepEqual([await known(stale), await known(attached), await known(recent)], [false, true, true])

    await sql.begin((tx) => detachFiles(tx, { channel: 'test:image', raws: [2] }))
    assert.deepEqual([await known(attached), await known(recent)], [false, true])
    await sql.begin((tx) => detachFiles(tx, { ids: [recent] }))
    await waitFor(async () => (await objects()) === before - 2)
    assert.equal((await world.as(bob, 'GET', `/files/uploaded/${hashOf(bytes)}`)).status, 404)
  })
})

test('keeps an upload that is attached during cleanup (files-11)', async () => {
  const id = await uploaded(alice, await newPicture())
  await sql`update file_uses set created_at = now() - interval '25 hours' where id = ${id}`
  await sql.begin(async (tx) => {
    await attachFiles(tx, {
      ids: [id],
      ownerId: alice.id,
      channel: 'test:image',
      raw: 3,
      field: 'images',
    })
    await tidyUploads(ctx)
  })
  assert.ok((await fileViews(sql, [id])).has(id))
})
