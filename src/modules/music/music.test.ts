import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { musicCounters, playsOf } from '#modules/music/index.ts'
import { createSong, createSpecial, musicEditor, uploadSound } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const editor = await musicEditor(world)

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const read = async (id: number, who?: Person) =>
  (await (who ? as(who, 'GET', `/music/${id}`) : guest('GET', `/music/${id}`))).body
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const assertNoDrift = async () => {
  for (const check of musicCounters) assert.deepEqual(await check.find(sql), [], check.name)
}
const commentOn = async (who: Person, path: string, body: object = { body: 'nice' }) =>
  as(who, 'POST', `/music/${path}/comments`, body)

describe('the list of songs', () => {
  test('shows songs in list form: ids of singer and upload, sort, and whether I like them (music-1)', async () => {
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

  test('pages strictly, newest first, and takes ids in every form', async () => {
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

  test('with more ids than a page shows them all', async () => {
    const ids: number[] = []
    for (let n = 0; n < 17; n += 1) ids.push(await createSong(world, editor, { sound: false }))
    const { body } = await guest('GET', `/music/songs?id=${ids.join(',')}`)
    assert.equal(body.length, 17)
    assert.equal((await guest('GET', '/music/songs')).body.length, 15)
  })
})

describe('a song', () => {
  test('is answered in detail form with status 201 (music-2)', async () => {
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

  test('is 404 when unknown or deleted, everywhere', async () => {
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

  test('counts a play at most once a minute for each listener, and for its albums (music-3)', async () => {
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

  test('counts every share, for its albums too (music-4)', async () => {
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

  test('is liked once: a second like is 422, taking back none is 400 (music-5)', async () => {
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

describe('comments of a song', () => {
  test('are written with 201, listed for guests, counted on song, album and writer, and taken back', async () => {
    const [writer, other] = [await person(), await person()]
    const id = await createSong(world, editor)
    const special = await createSpecial(world, editor, { songs: [id] })
    const made = await commentOn(writer, String(id), { body: ' nice ', reply_user: other.id })
    assert.equal(made.status, 201)
    assert.equal(made.body.message.length, 1)
    const { id: commentId, created_at, updated_at, ...rest } = made.body.comment
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.deepEqual(rest, {
      commentable_type: 'musics',
      commentable_id: id,
      user_id: writer.id,
      target_user: 0,
      reply_user: other.id,
      body: 'nice',
    })
    const list = await guest('GET', `/music/${id}/comments`)
    assert.equal(list.status, 200)
    assert.deepEqual(idsOf(list.body), [commentId])
    assert.deepEqual([list.body[0].user.id, list.body[0].reply.id], [writer.id, other.id])
    assert.equal((await read(id)).comment_count, 1)
    assert.equal((await guest('GET', `/music/specials/${special}`)).body.comment_count, 1)
    assert.deepEqual((await guest('GET', `/music/specials/${special}/comments`)).body, [])
    const written = async () =>
      (await sql`select comments_count from user_counts where user_id = ${writer.id}`)[0]?.comments_count
    assert.equal(await written(), 1)
    const told = await sql`select type from notifications where user_id = ${other.id}`
    assert.deepEqual(
      told.map(({ type }) => type),
      ['comment'],
    )
    assert.equal((await as(other, 'DELETE', `/music/${id}/comments/${commentId}`)).status, 403)
    assert.equal((await as(writer, 'DELETE', `/music/${id}/comments/${commentId}`)).status, 204)
    assert.equal((await read(id)).comment_count, 0)
    assert.equal(await written(), 0)
    await assertNoDrift()
  })

  test('need a body of at most 255 characters and a known reply_user; 0 is nobody', async () => {
    const writer = await person()
    const id = await createSong(world, editor)
    for (const [field, body] of [
      ['body', {}],
      ['body', { body: '  ' }],
      ['body', { body: 'x'.repeat(256) }],
      ['reply_user', { body: 'x', reply_user: 999_999_999 }],
      ['reply_user', { body: 'x', reply_user: 'abc' }],
    ] as const) {
      const answer = await commentOn(writer, String(id), body)
      assert.equal(answer.status, 422)
      assert.ok(answer.body.errors[field], field)
    }
    const answer = await commentOn(writer, String(id), { body: 'x'.repeat(255), reply_user: 0 })
    assert.deepEqual([answer.status, answer.body.comment.reply_user], [201, 0])
  })

  test('page by max_id, strictly, fifteen at a time (music-6)', async () => {
    const writer = await person()
    const id = await createSong(world, editor)
    const ids: number[] = []
    for (let n = 0; n < 17; n += 1)
      ids.unshift((await commentOn(writer, String(id), { body: `c${n}` })).body.comment.id)
    const list = async (query: string) => idsOf((await guest('GET', `/music/${id}/comments?${query}`)).body)
    assert.deepEqual(await list(''), ids.slice(0, 15))
    assert.deepEqual(await list(`max_id=${ids[14]}`), ids.slice(15))
    assert.deepEqual(await list(`limit=2&max_id=${ids[0]}`), ids.slice(1, 3))
    for (const query of ['limit=0', 'limit=101', 'max_id=x'])
      assert.equal((await guest('GET', `/music/${id}/comments?${query}`)).status, 422)
  })

  test('of another song or of an album are not reached through this one', async () => {
    const writer = await person()
    const [one, two] = [await createSong(world, editor), await createSong(world, editor)]
    const special = await createSpecial(world, editor)
    const song = (await commentOn(writer, String(one))).body.comment.id
    const album = (await commentOn(writer, `specials/${special}`)).body.comment.id
    for (const path of [
      `${two}/comments/${song}`,
      `${one}/comments/${album}`,
      `specials/${special}/comments/${song}`,
      `${one}/comments/999999999`,
    ])
      assert.equal((await as(writer, 'DELETE', `/music/${path}`)).status, 404, path)
    assert.equal((await read(one)).comment_count, 1)
    await assertNoDrift()
  })

  test('racing writers and deleters leave exact counters on song and album', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => person()))
    const id = await createSong(world, editor)
    const special = await createSpecial(world, editor, { songs: [id] })
    const made = await Promise.all(people.flatMap((who) => [0, 1].map(() => commentOn(who, String(id)))))
    assert.ok(made.every(({ status }) => status === 201))
    await Promise.all(
      made.slice(0, 4).flatMap(({ body }) => {
        const writer = people.find((who) => who.id === body.comment.user_id) as Person
        const remove = () => as(writer, 'DELETE', `/music/${id}/comments/${body.comment.id}`)
        return [remove(), remove()]
      }),
    )
    assert.equal((await read(id)).comment_count, 6)
    assert.equal((await guest('GET', `/music/specials/${special}`)).body.comment_count, 6)
    await assertNoDrift()
  })

  test('mention people on songs, and not on albums (music-6, music-9)', async () => {
    const [writer, named] = [await person(), await person()]
    const id = await createSong(world, editor)
    const special = await createSpecial(world, editor)
    const body = { body: `\u00AD@${named.name}\u00AD` }
    await commentOn(writer, `specials/${special}`, body)
    assert.equal((await sql`select from notifications where user_id = ${named.id}`).length, 0)
    await commentOn(writer, String(id), body)
    const told = await sql`select type from notifications where user_id = ${named.id}`
    assert.deepEqual(
      told.map(({ type }) => type),
      ['at'],
    )
  })
})

describe('albums', () => {
  test('are listed newest first with what their songs count, and found by id (music-7)', async () => {
    const listener = await person()
    const song = await createSong(world, editor)
    const one = await createSpecial(world, editor, { songs: [song], body: { intro: 'About', sort: 2 } })
    const two = await createSpecial(world, editor)
    await as(listener, 'PATCH', `/music/${song}/share`)
    await as(listener, 'POST', `/music/specials/${one}/collection`)
    const list = async (query: string) => (await guest('GET', `/music/specials?${query}`)).body
    assert.deepEqual(idsOf(await list('limit=2')), [two, one])
    assert.deepEqual(idsOf(await list(`limit=1&max_id=${two}`)), [one])
    assert.deepEqual(idsOf(await list(`id=${one},${two}`)), [two, one])
    const [view] = (await as(listener, 'GET', `/music/specials?id=${one}`)).body
    const { created_at, updated_at, title, ...rest } = view
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.match(title, /^Album/)
    assert.deepEqual(rest, {
      id: one,
      deleted_at: null,
      intro: 'About',
      storage: null,
      taste_count: 0,
      share_count: 1,
      comment_count: 0,
      collect_count: 1,
      sort: 2,
      has_collect: true,
      paid_node: null,
    })
    assert.equal((await list(`id=${one}`))[0].has_collect, false)
  })

  test('show their songs in detail form, the last first, and 404 when there is none', async () => {
    const songs = [await createSong(world, editor), await createSong(world, editor)]
    const id = await createSpecial(world, editor, { songs })
    const { status, body } = await guest('GET', `/music/specials/${id}`)
    assert.equal(status, 200)
    assert.deepEqual(idsOf(body.musics), [...songs].reverse())
    assert.match(body.musics[0].singer.name, /^Singer/)
    assert.equal((await guest('GET', '/music/specials/999999999')).status, 404)
    assert.equal((await guest('GET', '/music/specials/x')).status, 404)
  })

  test('are commented on with status 200 and counted on the album and its writer (music-9)', async () => {
    const [writer, replied] = [await person(), await person()]
    const id = await createSpecial(world, editor)
    const made = await commentOn(writer, `specials/${id}`, { body: 'nice', reply_user: replied.id })
    assert.equal(made.status, 200)
    assert.deepEqual(
      [made.body.comment.commentable_type, made.body.comment.commentable_id, made.body.comment.target_user],
      ['music_specials', id, 0],
    )
    assert.equal(made.body.message.length, 1)
    assert.equal((await guest('GET', `/music/specials/${id}`)).body.comment_count, 1)
    assert.deepEqual(idsOf((await guest('GET', `/music/specials/${id}/comments`)).body), [
      made.body.comment.id,
    ])
    assert.equal((await sql`select from notifications where user_id = ${replied.id}`).length, 1)
    const path = `/music/specials/${id}/comments/${made.body.comment.id}`
    assert.equal((await as(replied, 'DELETE', path)).status, 403)
    assert.equal((await as(writer, 'DELETE', path)).status, 204)
    assert.equal((await as(writer, 'DELETE', path)).status, 404)
    for (const [method, at] of [
      ['GET', '/comments'],
      ['POST', '/comments'],
      ['DELETE', '/comments/1'],
    ] as const)
      assert.equal((await as(writer, method, `/music/specials/999999999${at}`)).status, 404)
    await assertNoDrift()
  })

  test('leave the collection of one person only, and each is counted once (music-10)', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => person()))
    const [one, two] = people as [Person, Person]
    const id = await createSpecial(world, editor)
    const call = (who: Person, method: 'POST' | 'DELETE') =>
      as(who, method, `/music/specials/${id}/collection`)
    const racing = await Promise.all(people.flatMap((who) => [call(who, 'POST'), call(who, 'POST')]))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [201, 201, 201, 201, 400, 400, 400, 400])
    assert.equal((await call(one, 'DELETE')).status, 204)
    assert.equal((await call(one, 'DELETE')).status, 400)
    const { body } = await as(two, 'GET', `/music/specials/${id}`)
    assert.deepEqual([body.collect_count, body.has_collect], [3, true])
    assert.deepEqual(idsOf((await as(two, 'GET', '/music/collections')).body), [id])
    assert.deepEqual((await as(one, 'GET', '/music/collections')).body, [])
    await assertNoDrift()
  })

  test('that I collected are listed by id, strictly paged (music-10)', async () => {
    const me = await person()
    const ids: number[] = []
    for (let n = 0; n < 3; n += 1) ids.unshift(await createSpecial(world, editor))
    for (const id of [ids[1], ids[0], ids[2]]) await as(me, 'POST', `/music/specials/${id}/collection`)
    const list = async (query: string) => idsOf((await as(me, 'GET', `/music/collections?${query}`)).body)
    assert.deepEqual(await list(''), ids)
    assert.deepEqual(await list('limit=1'), ids.slice(0, 1))
    assert.deepEqual(await list(`max_id=${ids[0]}`), ids.slice(1))
    assert.equal((await guest('GET', '/music/collections')).status, 401)
  })
})

test('an upload that is a song belongs to it: nobody makes another song of it, or of a picture (music-13)', async () => {
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
