import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { detachFiles } from '#modules/files/index.ts'
import { StorageError } from '#platform/files'
import { noisyPicture } from '#test/fixtures/media.ts'
import { createWorld, type Person } from '#test/world.ts'
import { runImageUpload, runVariant } from '../media/queue.ts'
import type { StoredBytes } from '../schema.ts'
import { getVariant, tidyVariants } from './service.ts'

const world = await createWorld({ RATE_LIMIT_FILES: '200', RATE_LIMIT_VARIANTS: '3' })
const { ctx, sql, app } = world
const alice = await world.person()

async function upload(person: Person, bytes: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'picture.jpg')
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return world.as(person, 'POST', '/files', Buffer.from(await encoded.arrayBuffer()), headers)
}

const noise = (width = 400, height = 300) => noisyPicture(width, height).jpeg().toBuffer()
const uploaded = async () => (await upload(alice, await noise())).body.id as number

let places = 0
const somewhere = () => {
  places += 1
  return `192.0.2.${places}`
}

const elsewhere = () => {
  ctx.storage = { ...ctx.storage }
}

async function variant(id: number, query: string, remoteAddress = somewhere()) {
  const told = await world.as(alice, 'GET', `/files/${id}?json=1&${query}`)
  const { pathname, search } = new URL(told.body.url)
  return app.inject({ url: pathname + search, remoteAddress })
}

const kept = async (id: number) =>
  sql<{ storage_key: string; size: number }[]>`
    select v.storage_key, v.size from file_variants v join files f on f.storage_key = v.source_key
    join file_uses u on u.file_id = f.id where u.id = ${id}`

function occupy(turn: typeof runVariant) {
  let release = () => {}
  const until = new Promise<void>((resolve) => (release = resolve))
  const held = Promise.all([turn({}, () => until), turn({}, () => until)])
  return async () => {
    release()
    await held
  }
}

describe('variants of pictures (files-14)', () => {
  test('renders a picture once for all requests with the same rounded size', async () => {
    const id = await uploaded()
    const widths: (number | undefined)[] = []
    for (const query of ['w=101', 'w=120', 'h=119', 'w=160&h=4000', 'w=150&h=160'])
      widths.push((await sharp((await variant(id, query)).rawPayload).metadata()).width)
    assert.deepEqual(widths, [160, 160, 160, 160, 160])
    assert.equal((await kept(id)).length, 1)
    assert.equal((await sharp((await variant(id, 'w=390')).rawPayload).metadata()).width, 400)
  })

  test('counts only renderings against the rate limit of a client address', async () => {
    const id = await uploaded()
    const address = somewhere()
    for (const side of [50, 100, 160]) assert.equal((await variant(id, `w=${side}`, address)).statusCode, 200)
    const refused = await variant(id, 'w=240', address)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await variant(id, 'w=100', address)).statusCode, 200)
    elsewhere()
    assert.equal((await variant(id, 'w=100', address)).statusCode, 200)
    assert.equal((await variant(id, 'w=240')).statusCode, 200)
    // Addresses of one /64 network count as one client.
    for (const side of [50, 75, 90])
      assert.equal((await variant(id, `q=${side}`, `2001:db8:1:2::${side}`)).statusCode, 200)
    assert.equal((await variant(id, 'b=20', '2001:db8:1:2:ffff::1')).statusCode, 429)
  })

  test('limits requests for stored files per client address', async () => {
    const remoteAddress = somewhere()
    const get = async (url: string, method: 'GET' | 'PUT' = 'GET') =>
      (await app.inject({ method, url, remoteAddress })).statusCode
    for (let count = 0; count < 200; count += 1) assert.equal(await get('/storage/public:none'), 404)
    assert.equal(await get('/storage/public:none'), 429)
    assert.equal(await get('/storage/files/1'), 429)
    assert.equal(await get('/storage/public:none', 'PUT'), 429)
    assert.equal(await get('/storage/2019/01/a.png'), 429)
    assert.equal((await app.inject({ url: '/storage/public:none' })).statusCode, 404)
  })

  test('queues uploads and variants separately', async () => {
    const id = await uploaded()
    const releaseVariants = occupy(runVariant)
    const waiting = variant(id, 'w=100')
    assert.equal((await upload(alice, await noise(50, 50))).status, 201)
    await releaseVariants()
    assert.equal((await waiting).statusCode, 200)
    const releaseUploads = occupy(runImageUpload)
    const sending = upload(alice, await noise(50, 51))
    assert.equal((await variant(id, 'w=160')).statusCode, 200)
    await releaseUploads()
    assert.equal((await sending).status, 201)
  })

  test('cancels a queued rendering when its client disconnects', async () => {
    const id = await uploaded()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const release = occupy(runVariant)
    const { pathname, search } = new URL((await world.as(alice, 'GET', `/files/${id}?json=1&w=100`)).body.url)
    const request = httpRequest({ port, host: '127.0.0.1', path: pathname + search })
    request.on('error', () => {})
    const arrived = once(app.server, 'request')
    request.end()
    const [incoming] = await arrived
    incoming.on('error', () => {})
    const closed = new Promise((resolve) => incoming.once('close', resolve))
    const other = variant(id, 'w=160')
    // Waits until the rendering is queued. An earlier disconnect would not test the cancellation of a queued
    // rendering.
    await new Promise((resolve) => setTimeout(resolve, 200))
    request.destroy()
    await closed
    await release()
    assert.equal((await other).statusCode, 200)
    assert.equal((await kept(id)).length, 1)
  })

  test('renders a stored variant again only when its file or row is lost', async () => {
    const id = await uploaded()
    const first = await variant(id, 'w=240')
    const [row] = await kept(id)
    assert.ok(row)
    elsewhere()
    const again = await variant(id, 'w=240')
    assert.ok(again.rawPayload.equals(first.rawPayload))
    await ctx.storage.remove(row.storage_key)
    elsewhere()
    assert.equal((await variant(id, 'w=240')).rawPayload.length, row.size)
    assert.ok(await ctx.storage.writtenAt(row.storage_key))
    await sql`delete from file_variants where storage_key = ${row.storage_key}`
    elsewhere()
    assert.equal((await variant(id, 'w=240')).rawPayload.length, row.size)
    assert.deepEqual([...(await kept(id))], [row])
  })

  test('records the use of a variant at most once a day', async () => {
    const id = await uploaded()
    await variant(id, 'w=240')
    const askedAt = async (hoursAgo: number) => {
      const key = (await kept(id))[0]?.storage_key ?? ''
      await sql`
        update file_variants set used_at = now() - make_interval(hours => ${hoursAgo}) where storage_key = ${key}`
      elsewhere()
      assert.equal((await variant(id, 'w=240')).statusCode, 200)
      const [row] = await sql`
        select used_at > now() - interval '1 hour' as lately from file_variants where storage_key = ${key}`
      return row?.lately
    }
    assert.deepEqual([await askedAt(23), await askedAt(25)], [false, true])
  })

  test('caches a rendered variant in memory when the storage of variants is disabled', async () => {
    const id = await uploaded()
    const { config } = ctx
    const address = somewhere()
    ctx.config = { ...config, variantBytes: 0 }
    try {
      for (let count = 0; count < 5; count += 1)
        assert.equal((await variant(id, 'w=240', address)).statusCode, 200)
    } finally {
      ctx.config = config
    }
    assert.equal((await kept(id)).length, 0)
  })

  test('renders a shared variant for other clients when one client is over its rate limit', async () => {
    const id = await uploaded()
    const [source] = await sql<StoredBytes[]>`
      select f.storage_key as key, f.mime, f.size, f.width, f.height from files f
      join file_uses u on u.file_id = f.id where u.id = ${id}`
    assert.ok(source)
    let opened = 0
    let fault: StorageError | undefined
    const { open } = ctx.storage
    const counting = {
      ...ctx,
      storage: {
        ...ctx.storage,
        open: async (...given: Parameters<typeof open>) => {
          opened += Number(given[0] === source.key)
          if (fault) throw fault
          return open(...given)
        },
      },
    }
    /** Sends all requests at once, so that all but the first wait for one rendering. */
    const ask = (addresses: string[], w: number) =>
      Promise.allSettled(
        addresses.map((address) => getVariant(counting, source, { w }, { address, caller: null })),
      )
    const greedy = somewhere()
    for (const w of [50, 100, 160]) await ask([greedy], w)
    opened = 0
    const answers = await ask([greedy, greedy, somewhere(), somewhere(), somewhere()], 240)
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    assert.equal(opened, 1)
    fault = new StorageError('unavailable', 'away')
    const refused = await ask([somewhere(), somewhere()], 320)
    for (const each of refused) assert.equal(each.status === 'rejected' && each.reason, fault)
    assert.equal(opened, 2)
  })

  test('deletes least recently used variants under concurrent cleanups', async () => {
    const ids = [await uploaded(), await uploaded(), await uploaded()]
    for (const id of ids) for (const side of [50, 100, 160]) await variant(id, `w=${side}`)
    const [old] = ids
    await sql`
      update file_variants set used_at = now() - interval '3 days' where source_key = (
        select storage_key from files where id = (select file_id from file_uses where id = ${old ?? 0}))`
    const lost = await kept(old ?? 0)
    const all = await sql<[{ bytes: number }]>`select sum(size)::bigint as bytes from file_variants`
    const tight = { ...ctx, config: { ...ctx.config, variantBytes: all[0].bytes - 1 } }
    const sum = async () => (await sql`select sum(size)::bigint as bytes from file_variants`)[0]?.bytes
    await tidyVariants({ ...ctx, config: { ...ctx.config, variantBytes: all[0].bytes } })
    assert.equal(await sum(), all[0].bytes)
    let tidied = Promise.resolve()
    await sql.begin(async (tx) => {
      await tx`select from file_variants for update`
      tidied = tidyVariants(tight)
      await tidied
    })
    await tidied
    assert.equal(await sum(), all[0].bytes)
    await Promise.all([tidyVariants(tight, 1), tidyVariants(tight, 1)])
    const [left] = await sql<[{ bytes: number }]>`select sum(size)::bigint as bytes from file_variants`
    assert.ok(left.bytes <= tight.config.variantBytes && left.bytes > 0)
    assert.equal((await kept(old ?? 0)).length < 3, true)
    const gone = new Set((await kept(old ?? 0)).map((row) => row.storage_key))
    for (const { storage_key } of lost)
      assert.equal((await ctx.storage.writtenAt(storage_key)) !== undefined, gone.has(storage_key))
    await tidyVariants({ ...ctx, config: { ...ctx.config, variantBytes: 0 } })
    assert.equal((await sql`select 1 from file_variants`).length, 0)
    assert.equal((await variant(ids[1] ?? 0, 'w=50')).statusCode, 200)
  })

  test('deletes variants with their source file', async () => {
    const id = await uploaded()
    await variant(id, 'w=240')
    const [row] = await kept(id)
    assert.ok(row)
    await sql.begin((tx) => detachFiles(tx, { ids: [id] }))
    await world.work()
    assert.equal(await ctx.storage.writtenAt(row.storage_key), undefined)
    assert.equal((await sql`select 1 from file_variants where storage_key = ${row.storage_key}`).length, 0)
  })
})
