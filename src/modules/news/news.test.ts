import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hitsOf, newsCounters } from '#modules/news/index.ts'
import { createCategory, createNews, createTag, newsEditor } from '#test/fixtures/news.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const editor = await newsEditor(world)
const category = await createCategory(world, editor, 5)
const author = await person()

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const publish = (body: object = {}) => createNews(world, editor, author, { category_id: category, ...body })
const read = async (id: number, who?: Person) =>
  who ? as(who, 'GET', `/news/${id}`) : guest('GET', `/news/${id}`)
const hide = (id: number, status: number) => sql`update news set audit_status = ${status} where id = ${id}`
const assertNoDrift = async () => {
  for (const check of newsCounters) assert.deepEqual(await check.find(sql), [], check.name)
}

describe('news categories', () => {
  test('without a subscription five at random are shown as mine, and the others as more (news-1, news-2)', async () => {
    for (let n = 0; n < 8; n += 1) await createCategory(world, editor, n)
    const all = idsOf((await as(editor, 'GET', '/admin/news/categories?limit=100')).body.data).sort()
    const chosen = new Set<number>()
    for (let n = 0; n < 20; n += 1) {
      const { status, body } = await (n % 2 ? guest('GET', '/news/cates') : as(author, 'GET', '/news/cates'))
      assert.equal(status, 200)
      assert.equal(body.my_cates.length, 5)
      assert.deepEqual([...idsOf(body.my_cates), ...idsOf(body.more_cates)].sort(), all)
      assert.deepEqual(Object.keys(body.my_cates[0]), ['id', 'name'])
      for (const id of idsOf(body.my_cates)) chosen.add(id)
    }
    assert.ok(chosen.size > 5, 'always the same five')
  })

  test('are subscribed to as a whole, ordered by rank, and again at random after an empty list (news-1, news-3)', async () => {
    const me = await person()
    const [low, high] = [await createCategory(world, editor, 1), await createCategory(world, editor, 50)]
    const follow = (follows: unknown) => as(me, 'PATCH', '/news/categories/follows', { follows })
    const mine = async () => idsOf((await as(me, 'GET', '/news/cates')).body.my_cates)
    const answer = await follow(`${low},${high}`)
    assert.deepEqual([answer.status, Array.isArray(answer.body.message)], [201, true])
    assert.deepEqual(await mine(), [high, low])
    assert.equal((await follow(` ${low} , ${low}`)).status, 201)
    assert.deepEqual(await mine(), [low])
    const { body } = await as(me, 'GET', '/news/cates')
    assert.ok(!idsOf(body.more_cates).includes(low))
    assert.equal((await as(me, 'PATCH', `/news/categories/follows?follows=${high}`)).status, 201)
    assert.deepEqual(await mine(), [high])
    assert.equal((await follow('')).status, 201)
    assert.equal((await mine()).length, 5)
  })

  test('that do not exist are 422, and nothing is changed (news-3)', async () => {
    const me = await person()
    const known = await createCategory(world, editor)
    const follow = (body: object) => as(me, 'PATCH', '/news/categories/follows', body)
    await follow({ follows: String(known) })
    for (const body of [
      {},
      { follows: null },
      { follows: `${known},999999999` },
      { follows: 'x' },
      { follows: '-1' },
      { follows: '1,,x' },
    ]) {
      const answer = await follow(body)
      assert.equal(answer.status, 422, JSON.stringify(body))
      assert.ok(answer.body.errors.follows)
    }
    assert.deepEqual(idsOf((await as(me, 'GET', '/news/cates')).body.my_cates), [known])
    assert.equal((await guest('PATCH', '/news/categories/follows', { follows: '1' })).status, 401)
  })

  test('racing subscriptions of one person leave one of them, not a mixture', async () => {
    const me = await person()
    const ids = [await createCategory(world, editor), await createCategory(world, editor)]
    await Promise.all(
      [...ids, ...ids].map((id) => as(me, 'PATCH', '/news/categories/follows', { follows: String(id) })),
    )
    assert.equal((await as(me, 'GET', '/news/cates')).body.my_cates.length, 1)
  })
})

describe('the list of news', () => {
  test('shows published articles newest first, by category, recommendation, title and id (news-4)', async () => {
    const own = await createCategory(world, editor)
    const one = await publish({ category_id: own, title: '东京 100% news' })
    const two = await publish({ category_id: own })
    const waiting = await publish({ category_id: own })
    await hide(waiting, 1)
    assert.equal((await as(editor, 'PATCH', `/admin/news/${one}`, { recommend: true })).status, 204)
    const list = async (query: string) => idsOf((await guest('GET', `/news?${query}`)).body)
    assert.deepEqual(await list(`cate_id=${own}`), [two, one])
    assert.deepEqual(await list(`cate_id=${own}&limit=1`), [two])
    assert.deepEqual(await list(`cate_id=${own}&after=${two}`), [one])
    assert.deepEqual(await list(`cate_id=${own}&recommend=1`), [one])
    assert.deepEqual(await list(`key=${encodeURIComponent('京')}`), [one])
    assert.deepEqual(await list(`key=${encodeURIComponent('100%')}`), [one])
    assert.deepEqual(await list(`key=_&cate_id=${own}`), [])
    assert.deepEqual(await list(`id=${one},${two},${waiting}`), [two, one])
    for (const query of ['limit=0', 'limit=101', 'after=x', 'id=x', 'recommend=maybe'])
      assert.equal((await guest('GET', `/news?${query}`)).status, 422, query)
  })

  test('leaves out authors I block, has plain text below the title, and says what I did (news-4, news-10)', async () => {
    const [me, other] = [await person(), await person()]
    const own = await createCategory(world, editor)
    const id = await publish({
      category_id: own,
      content: '# Head\n@![pic](12) <script>x</script>**bold** [link](http://x)',
      from: 'Somewhere',
      author: 'Me',
    })
    await createNews(world, editor, other, { category_id: own })
    await sql`insert into user_blocks (user_id, target_id) values (${me.id}, ${other.id})`
    await as(me, 'POST', `/news/${id}/likes`)
    await as(me, 'POST', `/news/${id}/collections`)
    assert.equal((await guest('GET', `/news?cate_id=${own}`)).body.length, 2)
    const { body } = await as(me, 'GET', `/news?cate_id=${own}`)
    assert.equal(body.length, 1)
    const { created_at, updated_at, category: shown, title, ...rest } = body[0]
    assert.match(created_at, TIME)
    assert.match(updated_at, TIME)
    assert.match(title, /^Article/)
    assert.deepEqual(Object.keys(shown), ['id', 'name', 'rank'])
    assert.deepEqual(rest, {
      id,
      subject: 'Head bold link',
      from: 'Somewhere',
      author: 'Me',
      user_id: author.id,
      image: null,
      is_recommend: 0,
      digg_count: 1,
      comment_count: 0,
      hits: 0,
      audit_status: 0,
      audit_count: 0,
      has_collect: true,
      has_like: true,
    })
  })
})

describe('an article', () => {
  test('is read with its text as written, tags and author, and counts views (news-6)', async () => {
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

  test('that is not published exists for its author and editors only (news-5)', async () => {
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

  test('has others like it: those with a tag of it first, then the newest (news-7)', async () => {
    const tag = await createTag(world)
    const alike = await publish({ tags: [tag] })
    const id = await publish({ tags: [tag] })
    const newest = [await publish(), await publish(), await publish()].reverse()
    const { body } = await guest('GET', `/news/${id}/correlations`)
    assert.deepEqual(idsOf(body), [alike, ...newest.slice(0, 2)])
    assert.equal((await guest('GET', `/news/${id}/correlations?limit=1`)).body.length, 1)
    assert.equal((await guest('GET', '/news/999999999/correlations')).status, 404)
  })

  test('is liked once: again is 400, none to take back is 400, and its author is told (news-8)', async () => {
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

  test('is collected once; collections are listed by article (news-8)', async () => {
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

  test('is reported', async () => {
    const id = await publish()
    const answer = await as(await person(), 'POST', `/news/${id}/reports`, { reason: 'spam' })
    assert.equal(answer.status, 201)
    const [row] = await sql`select reportable_type, target_user from reports where reportable_id = ${id}`
    assert.deepEqual(row, { reportable_type: 'news', target_user: author.id })
  })
})

describe('comments of an article', () => {
  const write = (who: Person, id: number, body: object = { body: 'nice' }) =>
    as(who, 'POST', `/news/${id}/comments`, body)

  test('have its author as target_user, are counted, listed in two groups, and taken back (news-9)', async () => {
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

  test('are validated, and not made by those whom the author blocks', async () => {
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

  test('page by after, strictly, and hide whom I block', async () => {
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

  test('of another article are not reached through this one', async () => {
    const reader = await person()
    const [one, two] = [await publish(), await publish()]
    const comment = (await write(reader, one)).body.comment.id
    assert.equal((await as(reader, 'DELETE', `/news/${two}/comments/${comment}`)).status, 404)
    assert.equal((await read(one)).body.comment_count, 1)
  })

  test('racing writers and deleters leave exact counters', async () => {
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

test('authors are ranked by the views of their articles of a time (news-19)', async () => {
  const [first, second] = [await person(), await person()]
  const [one, two] = [
    await createNews(world, editor, first, { category_id: category }),
    await createNews(world, editor, second, { category_id: category }),
  ]
  await sql`update news_counts set hits = 100000 where news_id = ${one}`
  await sql`update news_counts set hits = 90000 where news_id = ${two}`
  await sql`update news set published_at = now() - interval '40 days' where id = ${two}`
  const { status, body } = await guest('GET', '/news/ranks?type=month&limit=2')
  assert.equal(status, 200)
  assert.deepEqual([body[0].id, body[0].extra.rank, body[0].extra.count], [first.id, 1, 100000])
  assert.ok(!idsOf(body).includes(second.id))
  assert.equal((await guest('GET', '/news/ranks?type=year')).status, 422)
})
