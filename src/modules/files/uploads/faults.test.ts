import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StorageError, type StorageFault } from '#platform/files/storage.ts'
import { multipart, newPicture, uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld } from '#test/world.ts'
import { runImageUpload, runVariant } from '../media/queue.ts'

const world = await createWorld()
const { ctx, sql, as, app } = world
const alice = await world.person()

const send = async () => {
  const { payload, headers } = await multipart([['file', await newPicture()]])
  return as(alice, 'POST', '/files', payload, headers)
}

async function download(id: number, query = '') {
  const { pathname, search } = new URL(
    (await as(alice, 'GET', `/files/${id}${query}`)).headers.location as string,
  )
  const { statusCode, headers } = await app.inject({ url: pathname + search })
  return { status: statusCode, headers }
}

const faultOf = ({ status, headers }: { status: number; headers: Record<string, unknown> }) => [
  status,
  headers['x-error-code'],
  Number(headers['retry-after']) > 0,
]

test('distinguishes a lost file, unavailable storage and full storage by status (files-12)', async () => {
  const [lost, kept] = [await uploadPicture(world, alice), await uploadPicture(world, alice, 40, 40)]
  const [row] = await sql`
    select storage_key from files where id = (select file_id from file_uses where id = ${lost})`
  await ctx.storage.remove(row?.storage_key)
  for (const query of ['', '?w=5']) assert.equal((await download(lost, query)).status, 404)
  const { open, put } = ctx.storage
  const fail = (fault: StorageFault) => async () => {
    throw new StorageError(fault, 'for this test')
  }
  try {
    Object.assign(ctx.storage, { open: fail('unavailable'), put: fail('unavailable') })
    for (const query of ['', '?w=16'])
      assert.deepEqual(faultOf(await download(kept, query)), [503, 'storage_unavailable', true])
    assert.deepEqual(faultOf(await send()), [503, 'storage_unavailable', true])
    ctx.storage.put = fail('full')
    assert.deepEqual(faultOf(await send()), [507, 'storage_full', false])
  } finally {
    Object.assign(ctx.storage, { open, put })
  }
})

test('returns 503 with Retry-After while pictures of other users fill the processing queue (files-12)', async () => {
  const id = await uploadPicture(world, alice, 40, 40)
  for (const [turn, ask] of [
    [runImageUpload, send],
    [runVariant, () => download(id, '?w=16')],
  ] as const) {
    let release = () => {}
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    const others = Promise.allSettled(
      Array.from({ length: 202 }, (_, n) => turn({ key: `other ${n}` }, () => until)),
    )
    try {
      assert.deepEqual(faultOf(await ask()), [503, 'media_busy', true])
    } finally {
      release()
      await others
    }
    assert.ok((await ask()).status < 300)
  }
})

test('returns 404 for a stored picture that cannot be decoded (files-12)', async () => {
  const id = await uploadPicture(world, alice, 40, 40)
  const [row] = await sql`
    select storage_key as key from files where id = (select file_id from file_uses where id = ${id})`
  await ctx.storage.put(row?.key, Buffer.from('rotten'), { mime: 'image/png' })
  assert.equal((await download(id, '?w=16')).status, 404)
})
