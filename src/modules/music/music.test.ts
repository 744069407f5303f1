import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { playsOf } from '#modules/music/index.ts'
import { createSong, createSpecial, musicEditor, uploadSound } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const editor = await musicEditor(world)

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const read = async (id: number, who?: Person) =>
  (await (who ? as(who, 'GET', `/music/${id}`) : guest('GET', `/music/${id}`))).body
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
describe('list of songs', () => {
  test('lists songs with only the ids of their singer and upload (music-1)', async () => {
    const listener = await person()
    const id = await createSong(world, editor, { body: { sort: 4, lyric: 'la la' } })
    await as(listener, 'POST', `/music/${id}/like`)
    const { status, body } = await as(listener, 'GET', `/music/songs?id=${id}`)
    assert.equal(status, 200)
    const [{ created_at, updated_at, singer, storage, title, ...rest }] = body
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.ok(Number.isInteger(singer))
    assert.deepEqual(Object.keys(storage), ['id'])
    assert.match(title, /^Song/)
    assert.deepEqual(rest, {
      id,
      deleted_at: null,
      last_time: 200,
      lyric: 'la la',
      taste_count: 0,
      share_count: 0,
      comment_count: 0,
      sort: 4,
      has_like: true,
    })
    assert.equal((await guest('GET', `/music/songs?id=${id}`)).body[0].has_like, false)
  })

  test('pages through songs, newest first', async () => {
    const ids: number[] = []
    for (let n = 0; n < 4; n += 1) ids.push(await createSong(world, editor, { sound: false }))
    const [first, second, third, fourth] = ids as [number, number, number, number]
    const list = async (query: string) => idsOf((await guest('GET', `/music/songs?${query}`)).body)
    assert.deepEqual(await list('limit=2'), [fourth, third])
    assert.deepEqual(await list(`limit=2&after=${third}`), [second, first])
    assert.deepEqual((await list('after=0')).slice(0, 2), [fourth, third])
    for (const query of [
      `id=${first},${third}`,
      `id[]=${first}&id[]=${third}`,
      `id=${first}&id=${third}`,
      `id[0]=${first}&id%5B1%5D=${third}`,
      `id=${first},${third}&id=${third}`,
    ])
      assert.deepEqual(await list(query), [third, first], query)
    assert.deepEqual(await list(`id=${first},${third}&limit=1`), [third])
    assert.deepEqual(await list(`id=${first},${third}&after=${third}`), [first])
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=-1', 'id=x', `id=${first},x`])
      assert.equal((await guest('GET', `/music/songs?${query}`)).status, 422, query)
  })

  test('returns all requested songs even beyond the default page size', async () => {
    const ids: number[] = []
    for (let n = 0; n < 17; n += 1) ids.push(await createSong(world, editor, { sound: false }))
    const { body } = await guest('GET', `/music/songs?id=${ids.join(',')}`)
    assert.equal(body.length, 17)
    assert.equal((await guest('GET', '/music/songs')).body.length, 15)
  })
})

describe('single songs', () => {
  test('returns a song in detail with status 201 (music-2)', async () => {
    const listener = await person()
    const id = await createSong(world, editor)
    await as(listener, 'POST', `/music/${id}/like`)
    const { status, body } = await as(listener, 'GET', `/music/${id}`)
    assert.equal(status, 201)
    const { created_at, updated_at, singer, storage, title, ...rest } = body
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.match(title, /^Song/)
    assert.deepEqual(Object.keys(singer), ['id', 'created_at', 'updated_at', 'name', 'cover'])
    assert.equal(singer.cover, null)
    assert.deepEqual(Object.keys(storage), ['id'])
    assert.deepEqual(rest, {
      id,
      deleted_at: null,
      last_time: 200,
      lyric: null,
      taste_count: 1,
      share_count: 0,
      comment_count: 0,
      sort: 0,
      has_like: true,
      music_specials: [],
    })
    const album = await createSpecial(world, editor, { songs: [id] })
    const { music_specials: albums } = (await as(listener, 'GET', `/music/${id}`)).body
    assert.deepEqual(
      albums.map((each: object) => [Object.keys(each), (each as { id: number }).id]),
      [[['id', 'title'], album]],
    )
    assert.equal((await as(editor, 'DELETE', `/admin/music/specials/${album}`)).status, 204)
    assert.deepEqual((await as(listener, 'GET', `/music/${id}`)).body.music_specials, [])
  })

  test('returns 404 for reads and writes of an unknown or deleted song', async () => {
    const gone = await createSong(world, editor)
    const listener = await person()
    assert.equal((await as(editor, 'DELETE', `/admin/music/songs/${gone}`)).status, 204)
    for (const id of [gone, 999_999_999, 0, 'abc', '1.5'])
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', '/share'],
        ['GET', '/comments'],
        ['POST', '/comments'],
        ['DELETE', '/comments/1'],
        ['POST', '/like'],
        ['DELETE', '/like'],
      ] as const)
        assert.equal(
          (await as(listener, method, `/music/${id}${path}`)).status,
          404,
          `${method} ${id}${path}`,
        )
    assert.deepEqual((await guest('GET', `/music/songs?id=${gone}`)).body, [])
  })

  test('counts at most one play a minute per listener of a song (music-3)', async () => {
    const [one, two] = [await person(), await person()]
    const id = await createSong(world, editor)
    const special = await createSpecial(world, editor, { songs: [id] })
    await Promise.all([read(id, one), read(id, one), read(id, one), read(id, two), read(id), read(id)])
    assert.equal((await read(id, one)).taste_count, 3)
    assert.equal((await guest('GET', `/music/songs?id=${id}`)).body[0].taste_count, 3)
    assert.equal((await guest('GET', `/music/specials/${special}`)).body.taste_count, 3)
    await playsOf(ctx).flush()
    const [kept] = await sql`select taste_count from music_song_counts where song_id = ${id}`
    assert.equal(kept?.taste_count, 3)
    assert.equal((await read(id, one)).taste_count, 3)
    assert.equal((await guest('GET', `/music/specials/${special}`)).body.taste_count, 3)
  })

  test('counts every share of a song also for its albums (music-4)', async () => {
    const listener = await person()
    const id = await createSong(world, editor)
    const special = await createSpecial(world, editor, { songs: [id] })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as(listener, 'PATCH', `/music/${id}/share`)),
    )
    for (const { status, body } of answers) assert.deepEqual([status, body], [204, null])
    assert.equal((await read(id)).share_count, 6)
    assert.equal((await as(listener, 'PATCH', `/music/specials/${special}/share`)).status, 204)
    assert.equal((await guest('GET', `/music/specials/${special}`)).body.share_count, 7)
    assert.equal((await guest('PATCH', `/music/${id}/share`)).status, 401)
    assert.equal((await as(listener, 'PATCH', '/music/specials/999999999/share')).status, 404)
  })

  test('rejects a like or unlike that changes nothing (music-5)', async () => {
    const listener = await person()
    const id = await createSong(world, editor)
    const like = (method: 'POST' | 'DELETE') => as(listener, method, `/music/${id}/like`)
    const racing = await Promise.all(Array.from({ length: 4 }, () => like('POST')))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [201, 422, 422, 422])
    assert.equal((await like('DELETE')).status, 204)
    assert.equal((await like('DELETE')).status, 400)
    assert.equal((await read(id, listener)).has_like, false)
  })
})

test('rejects an upload that another song uses or that another user owns (music-13)', async () => {
  const storage = await uploadSound(world, editor)
  const song = await createSong(world, editor, { body: { storage } })
  assert.equal((await read(song)).storage.id, storage)
  const singer = (await guest('GET', `/music/songs?id=${song}`)).body[0].singer
  const again = await as(editor, 'POST', '/admin/music/songs', { title: 'x', singer_id: singer, storage })
  assert.equal(again.status, 422)
  assert.ok(again.body.errors.storage)
  const foreign = await uploadSound(world, await person())
  const taken = await as(editor, 'POST', '/admin/music/songs', {
    title: 'x',
    singer_id: singer,
    storage: foreign,
  })
  assert.equal(taken.status, 422)
})
