import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { articleWorld } from '#test/fixtures/articles.ts'
import { createCategory, createNews } from '#test/fixtures/news.ts'

const { world, as, guest, person, sql, editor, category, author, TIME, idsOf, publish, hide } =
  await articleWorld()

describe('news categories', () => {
  test('returns five random categories to users without a subscription (news-1, news-2)', async () => {
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

  test("replaces a user's subscription to categories (news-1, news-3, conventions-19)", async () => {
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
    for (const list of [[low, String(high)], `${high},,${low}`]) {
      assert.equal((await follow(list)).status, 201)
      assert.deepEqual(await mine(), [high, low])
    }
    assert.equal((await follow(low)).status, 201)
    assert.deepEqual(await mine(), [low])
    for (const nothing of ['', []]) {
      assert.equal((await follow(String(low))).status, 201)
      assert.equal((await follow(nothing)).status, 201)
      assert.equal((await mine()).length, 5)
    }
  })

  test('keeps the subscription when a requested category is unknown (news-3)', async () => {
    const me = await person()
    const known = await createCategory(world, editor)
    const follow = (body: object) => as(me, 'PATCH', '/news/categories/follows', body)
    await follow({ follows: String(known) })
    for (const body of [
      {},
      { follows: null },
      { follows: `${known},999999999` },
      { follows: '999999999' },
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

  test('stores exactly one of several concurrent subscriptions of a user', async () => {
    const me = await person()
    const ids = [await createCategory(world, editor), await createCategory(world, editor)]
    await Promise.all(
      [...ids, ...ids].map((id) => as(me, 'PATCH', '/news/categories/follows', { follows: String(id) })),
    )
    assert.equal((await as(me, 'GET', '/news/cates')).body.my_cates.length, 1)
  })
})

describe('list of news', () => {
  test('filters published articles by category, recommendation, title and id (news-4)', async () => {
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
    const all = (await as(editor, 'GET', `/admin/news?category_id=${own}`)).body
    assert.deepEqual([idsOf(all.data), all.total], [[waiting, two, one], 3])
    for (const query of ['limit=0', 'limit=101', 'after=x', 'id=x', 'recommend=maybe'])
      assert.equal((await guest('GET', `/news?${query}`)).status, 422, query)
  })

  test('omits articles by blocked authors from the list of news (news-4, news-10)', async () => {
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
      contribute_amount: 0,
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

test('returns the user name of the author when the article has no author name (news-23)', async () => {
  const [writer, own] = [await person(), await createCategory(world, editor)]
  const id = await createNews(world, editor, writer, { category_id: own, content: '**Bold** text' })
  const seen = async () => [
    (await guest('GET', `/news?cate_id=${own}`)).body[0].author,
    (await guest('GET', `/news/${id}`)).body.author,
  ]
  assert.deepEqual(await seen(), [writer.name, writer.name])
  const { body } = await guest('GET', `/news/${id}`)
  assert.deepEqual([body.text_content, body.contribute_amount], ['Bold text', 0])
  await sql`update users set deleted_at = now() where id = ${writer.id}`
  assert.deepEqual(await seen(), ['-', '-'])
})

test('ranks authors by views of articles that they published in a period (news-19)', async () => {
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

test('includes an article published at the start of the day in the daily ranking (news-19)', async () => {
  const author = await person()
  const category = await createCategory(world, editor)
  const id = await createNews(world, editor, author, { category_id: category })
  await sql`update news_counts set hits = 80000 where news_id = ${id}`
  await sql`update news set published_at = site_day_start() where id = ${id}`
  assert.ok(idsOf((await guest('GET', '/news/ranks?type=day')).body).includes(author.id))
})
