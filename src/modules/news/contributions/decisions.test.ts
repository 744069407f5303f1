import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contributionWorld } from '#test/fixtures/contributions.ts'
import { createCategory, createNews } from '#test/fixtures/news.ts'

const {
  world,
  as,
  guest,
  person,
  editor,
  category,
  tag,
  codeOf,
  points,
  stateOf,
  decide,
  told,
  writer,
  contributed,
  assertBalanced,
} = await contributionWorld()

describe('rejected contributions', () => {
  test('refunds the fee after the third rejection of a contribution (news-12, news-14)', async () => {
    const who = await writer()
    const id = await contributed(who)
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'PATCH', path, { title: 'New' })).status, 422)
    for (let n = 1; n <= 3; n += 1) {
      assert.equal((await decide(id, { audit_status: 3, mark: `reason ${n}` })).status, 204)
      const [item] = (await as(who, 'GET', '/user/news/contributes?type=3')).body
      assert.deepEqual([item.mark, item.audit_count], [`reason ${n}`, n])
      assert.ok(item.content.length > 0 && item.tags.length === 1)
      assert.equal(await points(who), n < 3 ? 900 : 1000)
      const changed = await as(who, 'PATCH', path, { title: `Better ${n}`, content: 'Other words' })
      assert.equal(changed.status, n < 3 ? 204 : 403)
    }
    assert.deepEqual(await stateOf(id), { audit_status: 3, audit_count: 3, fee_state: 'refunded' })
    const { body } = await as(who, 'GET', `/news/${id}`)
    assert.deepEqual([body.title, body.subject], ['Better 2', 'Other words'])
    assert.deepEqual(await told(who), ['news:reject', 'news:reject', 'news:reject'])
    assert.equal((await decide(id, { audit_status: 3 })).status, 422)
    assert.equal((await as(who, 'DELETE', path)).status, 204)
    assert.equal(await points(who), 1000)
    await assertBalanced()
  })

  test('refunds the fee once when a rejected contribution is deleted (news-13, news-16)', async () => {
    const who = await writer()
    const id = await contributed(who)
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'DELETE', path)).status, 422)
    await decide(id, { audit_status: 3 })
    const racing = await Promise.all([1, 2, 3].map(() => as(who, 'DELETE', path)))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 404, 404])
    assert.equal(await points(who), 1000)
    await assertBalanced()
  })

  test('refunds the fee when an editor recycles an article whose author requested a refund (news-15)', async () => {
    const who = await writer()
    const id = await contributed(who)
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'PUT', path)).status, 201)
    assert.equal((await as(who, 'PUT', path)).status, 422)
    assert.equal((await as(who, 'DELETE', path)).status, 422)
    assert.equal((await stateOf(id))?.audit_status, 5)
    assert.equal((await decide(id, { audit_status: 4 })).status, 204)
    assert.equal(await points(who), 1000)
    for (const method of ['PUT', 'DELETE', 'PATCH'] as const)
      assert.equal((await as(who, method, path)).status, 404)
    await assertBalanced()
  })

  test('rejects changes of a contribution by other users (news-14)', async () => {
    const [who, other] = [await writer(), await person()]
    const id = await contributed(who)
    await decide(id, { audit_status: 3 })
    const elsewhere = await createCategory(world, editor)
    for (const method of ['PATCH', 'DELETE', 'PUT'] as const) {
      assert.equal((await as(other, method, `/news/categories/${category}/news/${id}`)).status, 404)
      assert.equal((await as(who, method, `/news/categories/${elsewhere}/news/${id}`)).status, 404)
    }
    await decide(id, { audit_status: 0 })
    for (const method of ['PATCH', 'DELETE', 'PUT'] as const)
      assert.equal((await as(other, method, `/news/categories/${category}/news/${id}`)).status, 403)
    assert.equal((await as(who, 'PUT', `/news/categories/${category}/news/${id}`)).status, 422)
  })
})

describe('news administration', () => {
  test('requires the ability to administer news', async () => {
    const somebody = await person()
    for (const path of ['', '/categories', '/deletions', '/1', '/categories/1', '/deletions/1'])
      assert.equal((await as(somebody, 'GET', `/admin/news${path}`)).status, 403, path)
  })

  test('lets editors publish, change and recycle articles (news-20, news-10)', async () => {
    const answer = await as(editor, 'POST', '/admin/news', {
      title: '特别 report',
      content: 'x'.repeat(300),
      category_id: category,
    })
    assert.equal(answer.status, 201)
    const { id } = answer.body
    const get = async () => (await as(editor, 'GET', `/admin/news/${id}`)).body
    assert.deepEqual([(await get()).audit_status, (await get()).user_id], [0, editor.id])
    const found = await as(editor, 'GET', `/admin/news?q=${encodeURIComponent('别')}&audit_status=0`)
    assert.deepEqual(
      [found.body.total, found.body.data[0].id, found.body.data[0].content],
      [1, id, undefined],
    )
    const other = await createCategory(world, editor)
    const change = { category_id: other, tags: [tag], recommend: true, subject: 'Short', from: 'There' }
    assert.equal((await decide(id, change)).status, 204)
    const changed = await get()
    assert.deepEqual(
      [changed.category_id, changed.tags[0].id, changed.recommend, changed.subject, changed.from],
      [other, tag, true, 'Short', 'There'],
    )
    for (const [field, body] of [
      ['category_id', { category_id: 999_999_999 }],
      ['tags', { tags: [999_999_999] }],
      ['audit_status', { audit_status: 1 }],
    ] as const)
      assert.ok((await decide(id, body)).body.errors[field], field)
    const bad = await as(editor, 'POST', '/admin/news', {
      title: 'x',
      content: 'x',
      category_id: category,
      user_id: 999_999_999,
    })
    assert.ok(bad.body.errors.user_id)
    assert.equal((await decide(id, { audit_status: 4 })).status, 204)
    assert.equal((await guest('GET', `/news/${id}`)).status, 404)
    assert.equal((await decide(id, { audit_status: 0 })).status, 204)
    assert.equal((await guest('GET', `/news/${id}`)).status, 200)
  })

  test('rejects the deletion of a news category with articles (news-21)', async () => {
    const name = 'Unique Name'
    const { id } = (await as(editor, 'POST', '/admin/news/categories', { name })).body
    const twice = await as(editor, 'POST', '/admin/news/categories', { name: 'unique  name' })
    assert.deepEqual([twice.status, codeOf(twice)], [422, 'category_name_taken'])
    const article = await createNews(world, editor, editor, { category_id: id })
    const used = await as(editor, 'DELETE', `/admin/news/categories/${id}`)
    assert.deepEqual([used.status, codeOf(used)], [422, 'category_in_use'])
    await as(editor, 'DELETE', `/admin/news/${article}`)
    assert.equal((await as(editor, 'PATCH', `/admin/news/categories/${id}`, { rank: 9 })).status, 204)
    assert.equal((await as(editor, 'GET', `/admin/news/categories/${id}`)).body.rank, 9)
    assert.equal((await as(editor, 'DELETE', `/admin/news/categories/${id}`)).status, 204)
  })
})
