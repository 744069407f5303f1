import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { musicCounters } from '#modules/music/index.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const editor = await musicEditor(world)

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const assertNoDrift = async () => {
  for (const check of musicCounters) assert.deepEqual(await check.find(sql), [], check.name)
}
const commentOn = async (who: Person, path: string, body: object = { body: 'nice' }) =>
  as(who, 'POST', `/music/${path}/comments`, body)

describe('music albums', () => {
  test('lists albums newest first, with the shares of their songs in the share count (music-7)', async () => {
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

  test('returns the songs of an album in detail', async () => {
    const songs = [await createSong(world, editor), await createSong(world, editor)]
    const id = await createSpecial(world, editor, { songs })
    const { status, body } = await guest('GET', `/music/specials/${id}`)
    assert.equal(status, 200)
    assert.deepEqual(idsOf(body.musics), [...songs].reverse())
    assert.match(body.musics[0].singer.name, /^Singer/)
    assert.equal((await guest('GET', '/music/specials/999999999')).status, 404)
    assert.equal((await guest('GET', '/music/specials/x')).status, 404)
  })

  test('returns 200 for a new comment on an album (music-9)', async () => {
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

  test('removes an album only from the collections of the requesting user (music-10)', async () => {
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

  test("pages through a user's collected albums by album id (music-10)", async () => {
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
