import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { musicCounters } from '#modules/music/index.ts'
import { createSong, createSpecial, musicEditor, uploadSound } from '#test/fixtures/songs.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const editor = await musicEditor(world)

let counter = 0
const unique = (name: string) => {
  counter += 1
  return `${name} no ${counter}`
}
const admin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  as(editor, method, `/admin/music/${path}`, body)
const audit = async (subject: string, id: number) =>
  sql`select action, user_id, before, after from audit_log where subject_type = ${subject} and subject_id = ${String(id)} order by id`

describe('music administration', () => {
  test('requires the ability to administer music', async () => {
    const clerk = await person({ roles: [] })
    await sql`
      with role as (insert into roles (name) values ('clerk') returning id),
      given as (insert into role_abilities (role_id, ability) select id, 'admin: login' from role)
      insert into user_roles (user_id, role_id) select ${clerk.id}, id from role`
    for (const area of ['singers', 'songs', 'specials'])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['GET', '/1'],
        ['PATCH', '/1'],
        ['DELETE', '/1'],
      ] as const) {
        assert.equal((await as(clerk, method, `/admin/music/${area}${path}`)).status, 403)
        assert.equal((await guest(method, `/admin/music/${area}${path}`)).status, 401)
      }
  })

  test('returns 404 for an unknown id before it validates the body', async () => {
    for (const area of ['singers', 'songs', 'specials'])
      for (const id of ['999999999', '0', 'x'])
        for (const method of ['GET', 'PATCH', 'DELETE'] as const)
          assert.equal((await admin(method, `${area}/${id}`, { title: 5, name: 5 })).status, 404)
  })
})

describe('singer administration', () => {
  test('writes an audit record when an administrator creates, changes or deletes a singer', async () => {
    const name = unique('Björk 歌手')
    const made = await admin('POST', 'singers', { name })
    assert.equal(made.status, 201)
    const { id } = made.body
    const read = async () => (await admin('GET', `singers/${id}`)).body
    assert.deepEqual([(await read()).name, (await read()).cover, (await read()).songs_count], [name, null, 0])
    const found = await admin('GET', `singers?q=${encodeURIComponent('歌手')}&sort=name&order=asc`)
    assert.ok(found.body.data.some((row: { id: number }) => row.id === id))
    assert.equal(typeof found.body.total, 'number')
    const twice = await admin('POST', 'singers', { name: name.toUpperCase() })
    assert.deepEqual([twice.status, twice.headers['x-error-code']], [422, 'singer_name_taken'])
    const renamed = unique('Renamed')
    assert.equal((await admin('PATCH', `singers/${id}`, { name: renamed })).status, 204)
    assert.equal((await read()).name, renamed)
    assert.equal((await admin('DELETE', `singers/${id}`)).status, 204)
    assert.equal((await admin('DELETE', `singers/${id}`)).status, 404)
    assert.equal((await admin('POST', 'singers', { name: renamed })).status, 201)
    assert.deepEqual(
      (await audit('music-singers', id)).map(({ action, user_id }) => [action, user_id]),
      [
        ['music-singers.create', editor.id],
        ['music-singers.update', editor.id],
        ['music-singers.delete', editor.id],
      ],
    )
  })

  test('rejects a singer with an invalid name or with a cover that is not a usable picture', async () => {
    const sound = await uploadSound(world, editor)
    for (const [field, body] of [
      ['name', {}],
      ['name', { name: '\u200b' }],
      ['name', { name: 'x'.repeat(101) }],
      ['cover', { name: unique('s'), cover: sound }],
      ['cover', { name: unique('s'), cover: 999_999_999 }],
    ] as const) {
      const answer = await admin('POST', 'singers', body)
      assert.equal(answer.status, 422, JSON.stringify(body))
      assert.ok(answer.body.errors[field])
    }
  })

  test('rejects the deletion of a singer with songs (music-11)', async () => {
    const song = await createSong(world, editor, { sound: false })
    await createSong(world, editor, { sound: false })
    const { singer_id: singer } = (await admin('GET', `songs/${song}`)).body
    const { body: listed } = await admin('GET', `songs?singer_id=${singer}`)
    assert.deepEqual([listed.data.map(({ id }: { id: number }) => id), listed.total], [[song], 1])
    const answer = await admin('DELETE', `singers/${singer}`)
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'singer_has_songs'])
    await admin('DELETE', `songs/${song}`)
    assert.equal((await admin('DELETE', `singers/${singer}`)).status, 204)
    const late = await admin('POST', 'songs', { title: 'x', singer_id: singer })
    assert.ok(late.body.errors.singer_id)
  })
})

describe('song administration', () => {
  test('creates and changes a song with sound, lyric and albums', async () => {
    const special = await createSpecial(world, editor)
    const singer = (await admin('POST', 'singers', { name: unique('Singer') })).body.id
    const storage = await uploadSound(world, editor)
    const title = unique('夜曲')
    const made = await admin('POST', 'songs', {
      title,
      singer_id: singer,
      storage,
      last_time: '200',
      lyric: 'la',
      sort: 3,
      specials: `${special}`,
    })
    assert.equal(made.status, 201)
    const { id } = made.body
    const { created_at, updated_at, singer: name, ...record } = (await admin('GET', `songs/${id}`)).body
    assert.match(created_at, /^\d{4}/)
    assert.match(updated_at, /^\d{4}/)
    assert.match(name, /^Singer/)
    assert.deepEqual(record, {
      id,
      title,
      singer_id: singer,
      storage,
      last_time: 200,
      lyric: 'la',
      sort: 3,
      specials: [special],
      taste_count: 0,
      share_count: 0,
      comment_count: 0,
      amount: null,
      paid_type: null,
    })
    const list = async (query: string) => {
      const { body } = await admin('GET', `songs?${query}`)
      return [body.data.map((row: { id: number }) => row.id), body.total]
    }
    assert.deepEqual(await list(`q=${encodeURIComponent('曲')}`), [[id], 1])
    assert.deepEqual(await list('q=%25'), [[], 0])
    assert.deepEqual(await list(`special_id=${special}&singer_id=${singer}&sort=taste_count`), [[id], 1])
    const other = await createSpecial(world, editor)
    const change = {
      title: 'Other',
      lyric: null,
      specials: [other],
      storage: await uploadSound(world, editor),
    }
    assert.equal((await admin('PATCH', `songs/${id}`, change)).status, 204)
    const changed = (await admin('GET', `songs/${id}`)).body
    assert.deepEqual(
      [changed.title, changed.lyric, changed.specials, changed.storage],
      ['Other', null, [other], change.storage],
    )
    assert.equal((await sql`select from file_uses where id = ${storage}`).length, 0)
    const [, entry] = await audit('music-songs', id)
    assert.deepEqual([entry?.before.title, entry?.after.title], [title, 'Other'])
  })

  test('rejects invalid values in a change of a song', async () => {
    const song = await createSong(world, editor, { sound: false })
    for (const [field, body] of [
      ['singer_id', { singer_id: 999_999_999 }],
      ['specials', { specials: [999_999_999] }],
      ['title', { title: 'x'.repeat(256) }],
      ['last_time', { last_time: -1 }],
      ['sort', { sort: 'x' }],
      ['storage', { storage: 999_999_999 }],
    ] as const) {
      const answer = await admin('PATCH', `songs/${song}`, body)
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], field)
    }
  })

  test('deletes the comments and likes of a deleted song (music-11)', async () => {
    const listener = await person()
    const song = await createSong(world, editor)
    const special = await createSpecial(world, editor, { songs: [song] })
    await as(listener, 'POST', `/music/${song}/comments`, { body: 'x' })
    await as(listener, 'POST', `/music/${song}/like`)
    assert.equal((await admin('DELETE', `songs/${song}`)).status, 204)
    const [left] = await sql`
      select (select count(*) from comments where commentable_type = 'musics' and commentable_id = ${song}) as comments,
        (select count(*) from likes where likeable_type = 'musics' and likeable_id = ${song}) as likes,
        (select comments_count from user_counts where user_id = ${listener.id}) as written`
    assert.deepEqual(left, { comments: 0, likes: 0, written: 0 })
    const { body } = await guest('GET', `/music/specials/${special}`)
    assert.deepEqual([body.comment_count, body.musics], [0, []])
    for (const check of musicCounters) assert.deepEqual(await check.find(sql), [], check.name)
  })

  test('keeps exact counters when a song is deleted while users comment', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => person()))
    const song = await createSong(world, editor)
    const answers = await Promise.all([
      ...people.map((who) => as(who, 'POST', `/music/${song}/comments`, { body: 'x' })),
      admin('DELETE', `songs/${song}`),
    ])
    for (const { status } of answers) assert.ok([201, 204, 404].includes(status), String(status))
    for (const check of musicCounters) assert.deepEqual(await check.find(sql), [], check.name)
  })
})

describe('album administration', () => {
  test('keeps the songs of a deleted album (music-11)', async () => {
    const listener = await person()
    const song = await createSong(world, editor)
    const id = await createSpecial(world, editor, { songs: [song], body: { intro: 'About' } })
    await as(listener, 'POST', `/music/specials/${id}/collection`)
    await as(listener, 'POST', `/music/specials/${id}/comments`, { body: 'x' })
    const record = (await admin('GET', `specials/${id}`)).body
    assert.deepEqual(
      [record.intro, record.songs_count, record.collect_count, record.comment_count],
      ['About', 1, 1, 1],
    )
    assert.equal((await admin('PATCH', `specials/${id}`, { title: 'New', intro: null })).status, 204)
    assert.deepEqual((await guest('GET', `/music/specials/${id}`)).body.title, 'New')
    const listed = await admin('GET', 'specials?sort=collect_count&limit=1')
    assert.equal(listed.body.data[0].id, id)
    assert.equal((await admin('DELETE', `specials/${id}`)).status, 204)
    assert.equal((await guest('GET', `/music/specials/${id}`)).status, 404)
    assert.deepEqual((await as(listener, 'GET', '/music/collections')).body, [])
    assert.equal((await guest('GET', `/music/${song}`)).status, 201)
    for (const check of musicCounters) assert.deepEqual(await check.find(sql), [], check.name)
  })

  test('requires a title for an album', async () => {
    assert.ok((await admin('POST', 'specials', { intro: 'x' })).body.errors.title)
  })

  test('lets music administrators delete comments of other users', async () => {
    const writer = await person()
    const id = await createSpecial(world, editor)
    const made = await as(writer, 'POST', `/music/specials/${id}/comments`, { body: 'x' })
    const path = `/music/specials/${id}/comments/${made.body.comment.id}`
    assert.equal((await as(await person(), 'DELETE', path)).status, 403)
    assert.equal((await as(editor, 'DELETE', path)).status, 204)
  })
})

describe('deleted music', () => {
  test('excludes deleted music from lists and counts (music-11)', async () => {
    const name = unique('Vanished')
    const singer = (await admin('POST', 'singers', { name })).body.id
    const special = await createSpecial(world, editor, { body: { title: name } })
    const song = async () =>
      (await admin('POST', 'songs', { title: name, singer_id: singer, specials: [special] })).body.id
    const [gone, kept] = [await song(), await song()]
    const found = async (area: string) => {
      const { body } = await admin('GET', `${area}?q=${encodeURIComponent(name)}`)
      return [body.data.map(({ id }: { id: number }) => id), body.total]
    }
    const refuses = async (area: string, id: number) => {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { title: 'Back', name: 'Back' }],
        ['DELETE', undefined],
      ] as const)
        assert.equal((await admin(method, `${area}/${id}`, body)).status, 404, `${method} ${area}`)
    }
    assert.equal((await admin('DELETE', `songs/${gone}`)).status, 204)
    await refuses('songs', gone)
    assert.deepEqual(await found('songs'), [[kept], 1])
    assert.equal((await admin('GET', `singers/${singer}`)).body.songs_count, 1)
    assert.equal((await admin('GET', `specials/${special}`)).body.songs_count, 1)
    assert.equal((await admin('DELETE', `specials/${special}`)).status, 204)
    await refuses('specials', special)
    assert.deepEqual(await found('specials'), [[], 0])
    assert.deepEqual((await admin('GET', `songs/${kept}`)).body.specials, [])
    assert.ok((await admin('PATCH', `songs/${kept}`, { specials: [special] })).body.errors.specials)
    assert.equal((await admin('DELETE', `songs/${kept}`)).status, 204)
    assert.equal((await admin('DELETE', `singers/${singer}`)).status, 204)
    await refuses('singers', singer)
    assert.deepEqual(await found('singers'), [[], 0])
  })
})
