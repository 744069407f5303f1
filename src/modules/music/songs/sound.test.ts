import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDuration } from '#modules/files/index.ts'
import { flac, mp3, wav } from '#test/fixtures/media.ts'
import { createSong, musicEditor, uploadSound } from '#test/fixtures/songs.ts'
import { createWorld } from '#test/world.ts'
import { measureSong } from './service.ts'

const world = await createWorld()
const { as, work, sql } = world

const longMp3 = (seconds: number) => {
  const frame = mp3().subarray(0, 417)
  return Buffer.concat(Array(Math.round((seconds * 44_100) / 1152)).fill(frame))
}

test('measures only intact recordings', async () => {
  assert.equal(Math.round((await readDuration(longMp3(65), 'audio/mpeg')) ?? 0), 65)
  assert.equal(await readDuration(Buffer.from('no sound at all'), 'audio/mpeg'), undefined)
  assert.equal(await readDuration(Buffer.alloc(0), 'audio/ogg'), undefined)
  for (const [bytes, mime] of [
    [flac(), 'audio/flac'],
    [wav(), 'audio/wav'],
  ] as const)
    assert.ok(((await readDuration(bytes, mime)) ?? 0) >= 0)
})

test('gives up on a crafted recording without blocking the event loop', async () => {
  let turns = 0
  let turn = setImmediate(function count() {
    turns += 1
    turn = setImmediate(count)
  })
  const crafted = Buffer.concat([mp3(), Buffer.alloc(8_000_000, 0xff)])
  const found = await readDuration(crafted, 'audio/mpeg', { patienceMs: 1_000 })
  clearImmediate(turn)
  assert.equal(found, undefined)
  assert.ok(turns > 5, 'the event loop went on')
})

test('measures the duration of a song whose duration is unknown (music-15)', async () => {
  const editor = await musicEditor(world)
  const upload = async (seconds: number) => uploadSound(world, editor, longMp3(seconds))
  const told = await createSong(world, editor, { body: { last_time: 7, storage: await upload(3) } })
  const silent = await createSong(world, editor, { body: { last_time: 0, storage: await upload(4) } })
  const lengthOf = async (id: number) =>
    (await as(editor, 'GET', `/admin/music/songs/${id}`)).body.last_time as number
  assert.equal(await lengthOf(silent), 0)
  await work()
  assert.deepEqual([await lengthOf(told), await lengthOf(silent)], [7, 4])
  const late = await upload(5)
  await sql`update music_songs set last_time = 0 where id = ${silent}`
  await measureSong(world.ctx, { song: silent, sound: late })
  assert.equal(await lengthOf(silent), 0)
  await measureSong(world.ctx, { song: silent, sound: 999_999_999 })
  const [{ key }] = await sql<[{ key: string }]>`
    select f.storage_key as key from files f join file_uses u on u.file_id = f.id where u.id = ${late}`
  await world.ctx.storage.remove(key)
  await measureSong(world.ctx, { song: silent, sound: late })
  const other = await upload(6)
  assert.equal((await as(editor, 'PATCH', `/admin/music/songs/${told}`, { storage: other })).status, 204)
  await work()
  assert.equal(await lengthOf(told), 6)
})
