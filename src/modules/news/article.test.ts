import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hitsOf } from '#modules/news/index.ts'
import { articleWorld } from '#test/fixtures/articles.ts'
import { createNews, createTag } from '#test/fixtures/news.ts'

const {
  world,
  as,
  guest,
  person,
  sql,
  ctx,
  editor,
  category,
  author,
  idsOf,
  publish,
  read,
  hide,
  assertNoDrift,
} = await articleWorld()

describe('single articles', () => {
  test('returns an article with text, tags and author (news-6)', async () => {
    const tag = await createTag(world)
    const content = '<b>raw</b> & **Markdown**'
    const id = await publish({ content, tags: [tag], subject: 'Given' })
    const answer = await read(id, author)
    assert.equal(answer.status, 200)
    assert.deepEqual(
      [answer.body.content, answer.body.subject, answer.body.user.id, answer.body.is_pinned],
      [content, 'Given', author.id, false],
    )
    assert.deepEqual(idsOf(answer.body.tags), [tag])
    assert.equal((await read(id)).body.hits, 2)
    await hitsOf(ctx).flush()
    assert.equal((await read(id)).body.hits, 3)
  })

  test('returns an unpublished article only to its author and editors (news-5)', async () => {
    const reader = await person()
    for (const status of [1, 3, 5]) {
      const id = await publish()
      await hide(id, status)
      assert.equal((await read(id)).status, 404)
      assert.equal((await read(id, reader)).status, 404)
      assert.equal((await read(id, author)).status, 200)
      assert.equal((await read(id, editor)).status, 200)
      for (const [method, path, body] of [
        ['GET', '/comments'],
        ['POST', '/comments', { body: 'x' }],
        ['DELETE', '/comments/1'],
        ['POST', '/likes'],
        ['DELETE', '/likes'],
        ['GET', '/likes'],
        ['POST', '/collections'],
        ['POST', '/reports', {}],
        ['GET', '/correlations'],
      ] as const)
        for (const who of [reader, author])
          assert.equal((await as(who, method, `/news/${id}${path}`, body)).status, 404, `${method} ${path}`)
    }
    const recycled = await publish()
    await hide(recycled, 4)
    assert.equal((await read(recycled, author)).status, 404)
    for (const id of ['999999999', '0', 'x']) assert.equal((await read(id as never)).status, 404)
  })

  test('lists articles that share a tag before other articles (news-7)', async () => {
    const tag = await createTag(world)
    const alike = await publish({ tags: [tag] })
    const id = await publish({ tags: [tag] })
    const newest = [await publish(), await publish(), await publish()].reverse()
    const { body } = await guest('GET', `/news/${id}/correlations`)
    assert.deepEqual(idsOf(body), [alike, ...newest.slice(0, 2)])
    assert.equal((await guest('GET', `/news/${id}/correlations?limit=1`)).body.length, 1)
    assert.equal((await guest('GET', '/news/999999999/correlations')).status, 404)
  })

  test('lists the newest articles that share a tag, up to the limit (news-7)', async () => {
    const [one, two] = [await createTag(world), await createTag(world)]
    const alike: number[] = []
    for (const tags of [[one], [one, two], [two], [one], [two], [one]]) alike.unshift(await publish({ tags }))
    const id = await publish({ tags: [one, two] })
    const list = async (limit: number) =>
      idsOf((await guest('GET', `/news/${id}/correlations?limit=${limit}`)).body)
    for (const limit of [1, 2, 4, 6]) assert.deepEqual(await list(limit), alike.slice(0, limit))
  })

  test('returns 400 for a like or unlike that changes nothing (news-8)', async () => {
    const reader = await person()
    const owner = await person()
    const id = await createNews(world, editor, owner, { category_id: category })
    const like = (method: 'POST' | 'DELETE') => as(reader, method, `/news/${id}/likes`)
    const racing = await Promise.all(Array.from({ length: 4 }, () => like('POST')))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [201, 400, 400, 400])
    assert.equal((await read(id)).body.digg_count, 1)
    const { body } = await guest('GET', `/news/${id}/likes`)
    assert.deepEqual([body.length, body[0].user.id, body[0].target_user], [1, reader.id, owner.id])
    const told = await sql`select type, data from notifications where user_id = ${owner.id}`
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.resource]),
      [['like', { type: 'news', id }]],
    )
    assert.equal((await like('DELETE')).status, 204)
    assert.equal((await like('DELETE')).status, 400)
    await assertNoDrift()
  })

  test('collects an article once per user (news-8)', async () => {
    const reader = await person()
    const [one, two] = [await publish(), await publish()]
    const collect = (method: 'POST' | 'DELETE', id: number) => as(reader, method, `/news/${id}/collections`)
    assert.equal((await collect('POST', two)).status, 201)
    assert.equal((await collect('POST', one)).status, 201)
    assert.equal((await collect('POST', one)).status, 422)
    const list = async (query: string) => idsOf((await as(reader, 'GET', `/news/collections?${query}`)).body)
    assert.deepEqual(await list(''), [two, one])
    assert.deepEqual(await list(`after=${two}&limit=1`), [one])
    assert.equal((await collect('DELETE', one)).status, 204)
    assert.equal((await collect('DELETE', one)).status, 422)
    assert.deepEqual(await list(''), [two])
  })

  test('enforces limits on the texts and tags of an article', async () => {
    const write = (fields: object) =>
      as(editor, 'POST', '/admin/news', {
        title: 'A title',
        content: 'Text',
        category_id: category,
        ...fields,
      })
    for (const [field, most] of [
      ['title', 255],
      ['content', 100_000],
      ['subject', 400],
      ['from', 100],
      ['author', 100],
    ] as const) {
      const made = await write({ [field]: 'x'.repeat(most) })
      assert.equal(made.status, 201, field)
      assert.equal((await as(editor, 'GET', `/admin/news/${made.body.id}`)).body[field].length, most)
      const refused = await write({ [field]: 'x'.repeat(most + 1) })
      assert.deepEqual([refused.status, Object.keys(refused.body.errors ?? {})], [422, [field]])
      const changed = await as(editor, 'PATCH', `/admin/news/${made.body.id}`, {
        [field]: 'x'.repeat(most + 1),
      })
      assert.deepEqual([changed.status, Object.keys(changed.body.errors ?? {})], [422, [field]])
    }
    const tags: number[] = []
    while (tags.length < 21) tags.push(await createTag(world))
    assert.equal((await write({ tags: tags.slice(1) })).status, 201)
    assert.deepEqual(Object.keys((await write({ tags })).body.errors ?? {}), ['tags'])
  })

  test('accepts reports of an article', async () => {
    const id = await publish()
    const answer = await as(await person(), 'POST', `/news/${id}/reports`, { reason: 'spam' })
    assert.equal(answer.status, 201)
    const [row] = await sql`select reportable_type, target_user from reports where reportable_id = ${id}`
    assert.deepEqual(row, { reportable_type: 'news', target_user: author.id })
  })
})
