import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { articleWorld } from '#test/fixtures/articles.ts'
import { createNews } from '#test/fixtures/news.ts'
import type { Person } from '#test/world.ts'

const {
  world,
  as,
  guest,
  person,
  sql,
  editor,
  category,

  TIME,
  idsOf,
  publish,
  read,

  assertNoDrift,
} = await articleWorld()

describe('comments on articles', () => {
  const write = (who: Person, id: number, body: object = { body: 'nice' }) =>
    as(who, 'POST', `/news/${id}/comments`, body)

  test('counts and lists comments of an article (news-9)', async () => {
    const [reader, other, owner] = [await person(), await person(), await person()]
    const id = await createNews(world, editor, owner, { category_id: category })
    const made = await write(reader, id, { body: 'nice', reply_user: 0 })
    assert.equal(made.status, 201)
    assert.equal(made.body.message.length, 1)
    const { id: commentId, created_at, updated_at, ...rest } = made.body.comment
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.deepEqual(rest, {
      commentable_type: 'news',
      commentable_id: id,
      user_id: reader.id,
      target_user: owner.id,
      reply_user: 0,
      body: 'nice',
    })
    const { status, body } = await guest('GET', `/news/${id}/comments`)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['pinneds', 'comments'])
    assert.deepEqual([body.pinneds, idsOf(body.comments)], [[], [commentId]])
    assert.equal(body.comments[0].user.id, reader.id)
    assert.equal((await read(id)).body.comment_count, 1)
    assert.equal((await sql`select from notifications where user_id = ${owner.id}`).length, 1)
    assert.equal((await as(other, 'DELETE', `/news/${id}/comments/${commentId}`)).status, 403)
    assert.equal((await as(owner, 'DELETE', `/news/${id}/comments/${commentId}`)).status, 403)
    assert.equal((await as(reader, 'DELETE', `/news/${id}/comments/${commentId}`)).status, 204)
    assert.equal((await as(reader, 'DELETE', `/news/${id}/comments/${commentId}`)).status, 404)
    assert.equal((await sql`select from notifications where user_id = ${owner.id}`).length, 0)
    assert.equal((await read(id)).body.comment_count, 0)
    await assertNoDrift()
  })

  test('rejects invalid comments and comments by users whom the author blocks', async () => {
    const [reader, owner] = [await person(), await person()]
    const id = await createNews(world, editor, owner, { category_id: category })
    for (const [field, body] of [
      ['body', {}],
      ['body', { body: '' }],
      ['body', { body: 'x'.repeat(256) }],
      ['reply_user', { body: 'x', reply_user: 999_999_999 }],
    ] as const) {
      const answer = await write(reader, id, body)
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, [field]])
    }
    await sql`insert into user_blocks (user_id, target_id) values (${owner.id}, ${reader.id})`
    assert.equal((await write(reader, id)).status, 403)
    assert.equal((await guest('POST', `/news/${id}/comments`, { body: 'x' })).status, 401)
    assert.equal((await write(reader, 999_999_999)).status, 404)
  })

  test('omits comments of blocked users and still returns a full page', async () => {
    const [me, noisy] = [await person(), await person()]
    const id = await publish()
    const ids: number[] = []
    for (let n = 0; n < 16; n += 1) ids.unshift((await write(me, id, { body: `c${n}` })).body.comment.id)
    const last = (await write(noisy, id)).body.comment.id
    await sql`insert into user_blocks (user_id, target_id) values (${me.id}, ${noisy.id})`
    const list = async (query: string, who?: Person) => {
      const path = `/news/${id}/comments?${query}`
      return idsOf((await (who ? as(who, 'GET', path) : guest('GET', path))).body.comments)
    }
    assert.deepEqual(await list(''), [last, ...ids.slice(0, 14)])
    assert.deepEqual(await list('', me), ids.slice(0, 15))
    assert.deepEqual(await list(`after=${ids[13]}`), ids.slice(14))
    assert.deepEqual(await list(`after=${ids[13]}&limit=1`), [ids[14]])
    assert.equal((await guest('GET', `/news/${id}/comments?limit=0`)).status, 422)
  })

  test('returns 404 when the comment belongs to an article other than the one in the path', async () => {
    const reader = await person()
    const [one, two] = [await publish(), await publish()]
    const comment = (await write(reader, one)).body.comment.id
    assert.equal((await as(reader, 'DELETE', `/news/${two}/comments/${comment}`)).status, 404)
    assert.equal((await read(one)).body.comment_count, 1)
  })

  test('keeps exact counters of an article when several comments or several deletions run concurrently', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => person()))
    const id = await publish()
    const made = await Promise.all(people.flatMap((who) => [0, 1].map(() => write(who, id))))
    await Promise.all(
      made.slice(0, 5).flatMap(({ body }) => {
        const writer = people.find((who) => who.id === body.comment.user_id) as Person
        const remove = () => as(writer, 'DELETE', `/news/${id}/comments/${body.comment.id}`)
        return [remove(), remove()]
      }),
    )
    assert.equal((await read(id)).body.comment_count, 5)
    await assertNoDrift()
  })
})
