import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { musicCounters } from '#modules/music/index.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
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

describe('comments on songs', () => {
  test('counts a comment for the song, its album and the commenter', async () => {
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

  test('validates the body and the reply_user of a comment', async () => {
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

  test('pages through comments of a song by max_id (music-6)', async () => {
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

  test('returns 404 when the comment does not belong to the song or album in the path', async () => {
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

  test('keeps exact comment counts of song and album when several comments or several deletions run concurrently', async () => {
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

  test('notifies users mentioned in comments on songs, but not on albums (music-6, music-9)', async () => {
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
