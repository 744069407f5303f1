import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditLedger, findBalance } from '#modules/ledger/index.ts'
import { newsCounters } from '#modules/news/index.ts'
import {
  certify,
  createCategory,
  createNews,
  createTag,
  givePoints,
  newsEditor,
  setSettings,
} from '#test/fixtures/news.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const editor = await newsEditor(world)
const category = await createCategory(world, editor)
const tag = await createTag(world)
await setSettings(world, { 'news:pay-contribute': 100 })

const codeOf = (answer: { headers: Record<string, unknown> }) => answer.headers['x-error-code']
const points = (who: Person) => findBalance(sql, who.id, 'points')
const stateOf = async (id: number) =>
  (await sql`select audit_status, audit_count, fee_state from news where id = ${id}`)[0]
const decide = (id: number, body: object) => as(editor, 'PATCH', `/admin/news/${id}`, body)
const contribution = { title: 'My story', content: 'Once **upon** a time', tags: `${tag}` }
const send = (who: Person, body: object = contribution, headers: Record<string, string> = {}) =>
  as(who, 'POST', `/news/categories/${category}/currency-news`, body, headers)
const told = async (who: Person) =>
  (await sql`select data from notifications where user_id = ${who.id} order by seq`).map(
    ({ data }) => data.type,
  )

/** A certified person with points. */
async function writer(amount = 1000): Promise<Person> {
  const who = await person()
  await certify(world, who)
  if (amount > 0) await givePoints(world, who, amount)
  return who
}
async function contributed(who: Person, body: object = {}): Promise<number> {
  const answer = await send(who, { ...contribution, ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}
const assertBalanced = async () => assert.equal((await auditLedger(sql, [])).balanced, true)

describe('a contribution', () => {
  test('waits for review, and its fee waits with it until the article is published (news-13)', async () => {
    const who = await writer()
    const id = await contributed(who, { subject: 'About', from: 'Here', author: 'Me' })
    assert.deepEqual(await stateOf(id), { audit_status: 1, audit_count: 0, fee_state: 'escrow' })
    assert.equal(await points(who), 900)
    assert.equal((await guest('GET', `/news/${id}`)).status, 404)
    const mine = await as(who, 'GET', '/user/news/contributes?type=1')
    assert.deepEqual([mine.body.length, mine.body[0].id, mine.body[0].mark], [1, id, null])
    const racing = await Promise.all([1, 2, 3].map(() => decide(id, { audit_status: 0 })))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 422, 422])
    assert.deepEqual(await stateOf(id), { audit_status: 0, audit_count: 0, fee_state: 'income' })
    assert.equal((await guest('GET', `/news/${id}`)).body.tags[0].id, tag)
    assert.deepEqual(await told(who), ['news:audit'])
    assert.equal(await points(who), 900)
    await assertBalanced()
  })

  test('is 404, 403 or 422 in the order of the rules (news-11)', async () => {
    const who = await person()
    const missing = await as(who, 'POST', '/news/categories/999999999/currency-news', {})
    assert.deepEqual([missing.status, codeOf(missing)], [404, 'no_such_category'])
    const uncertified = await send(who, {})
    assert.deepEqual([uncertified.status, codeOf(uncertified)], [403, 'certification_needed'])
    await certify(world, who)
    for (const [field, body] of [
      ['title', { content: 'x', tags: '1' }],
      ['title', { ...contribution, title: 'x'.repeat(41) }],
      ['content', { title: 'x', tags: '1' }],
      ['tags', { title: 'x', content: 'x' }],
      ['tags', { ...contribution, tags: '' }],
      ['subject', { ...contribution, subject: 'x'.repeat(401) }],
    ] as const) {
      const answer = await send(who, body)
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], field)
    }
    const poor = await send(who)
    assert.deepEqual([poor.status, codeOf(poor)], [403, 'insufficient_balance'])
    await givePoints(world, who, 100)
    const unknown = await send(who, { ...contribution, tags: '999999999' })
    assert.ok(unknown.body.errors.tags)
    const foreign = await send(who, { ...contribution, image: await uploadPicture(world, editor) })
    assert.ok(foreign.body.errors.image)
    assert.equal(await points(who), 100)
    assert.equal((await guest('POST', `/news/categories/${category}/currency-news`, {})).status, 401)
    assert.equal((await sql`select from news where user_id = ${who.id}`).length, 0)
  })

  test('is free, open to all and asks for no password where the settings say so', async () => {
    const who = await person()
    await setSettings(world, {
      'news:contribute:pay': false,
      'news:contribute:verified': false,
      'pay-validate-user-password': true,
    })
    const id = await contributed(who)
    assert.deepEqual(await stateOf(id), { audit_status: 1, audit_count: 0, fee_state: 'none' })
    await setSettings(world, { 'news:contribute:pay': true })
    assert.equal((await send(who)).status, 403)
    await setSettings(world, { 'news:contribute:verified': true, 'pay-validate-user-password': false })
  })

  test('sent twice with one Idempotency-Key is made and paid once', async () => {
    const who = await writer(150)
    const key = { 'idempotency-key': 'one' }
    const first = await send(who, contribution, key)
    const again = await send(who, contribution, key)
    assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(await points(who), 50)
  })

  test('racing ones are paid each, and never with more than there is', async () => {
    const who = await writer(250)
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(who)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 403, 403, 403])
    assert.equal(await points(who), 50)
    await assertBalanced()
  })

  test('keeps its picture and the uploads its text shows', async () => {
    const who = await writer()
    const [image, inText] = [await uploadPicture(world, who), await uploadPicture(world, who)]
    const id = await contributed(who, { image, content: `See @![this](${inText})` })
    const stranger = await person()
    for (const file of [image, inText]) {
      const address = `/files/${file}`
      assert.equal((await guest('GET', address)).status, 404)
      assert.equal((await as(stranger, 'GET', address)).status, 404)
      for (const reader of [who, editor]) assert.equal((await as(reader, 'GET', address)).status, 302)
    }
    await decide(id, { audit_status: 0 })
    assert.deepEqual((await guest('GET', `/news/${id}`)).body.image, { id: image, size: '30x20' })
    const uses =
      await sql`select id, channel, raw from file_uses where id in (${image}, ${inText}) order by id`
    assert.deepEqual(
      uses.map(({ channel, raw }) => [channel, raw]),
      [
        ['news:image', id],
        ['news:content', id],
      ],
    )
    assert.equal((await as(editor, 'DELETE', `/admin/news/${id}`)).status, 204)
    assert.equal((await sql`select from file_uses where id in (${image}, ${inText})`).length, 0)
  })
})

describe('a rejected contribution', () => {
  test('is changed and sent in again until the third rejection, which gives the fee back (news-12, news-14)', async () => {
    const who = await writer()
    const id = await contributed(who)
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'PATCH', path, { title: 'New' })).status, 422)
    for (let n = 1; n <= 3; n += 1) {
      assert.equal((await decide(id, { audit_status: 3, mark: `reason ${n}` })).status, 204)
      const [item] = (await as(who, 'GET', '/user/news/contributes?type=3')).body
      assert.deepEqual([item.mark, item.audit_count], [`reason ${n}`, n])
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

  test('is deleted by its author, who gets back a fee that bought nothing (news-13, news-16)', async () => {
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

  test('whose author asks for the fee back waits for that; recycling it pays (news-15)', async () => {
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

  test('is not touched by others, nor through another category (news-14)', async () => {
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

describe('the deletion of a published article', () => {
  test('is asked for by its author and decided once by an editor (news-16, news-22)', async () => {
    const [who, reader] = [await person(), await person()]
    const id = await createNews(world, editor, who, { category_id: category })
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'DELETE', path)).status, 201)
    assert.equal((await as(who, 'DELETE', path)).status, 201)
    const list = await as(editor, 'GET', `/admin/news/deletions?state=pending&user_id=${who.id}`)
    assert.equal(list.body.total, 1)
    const request = list.body.data[0].id
    const settle = (action: string, at = request) =>
      as(editor, 'PATCH', `/admin/news/deletions/${at}`, { action, mark: 'because' })
    assert.equal((await settle('maybe')).status, 422)
    assert.equal((await settle('reject')).status, 204)
    assert.equal((await settle('accept')).status, 403)
    assert.equal((await guest('GET', `/news/${id}`)).status, 200)
    await as(reader, 'POST', `/news/${id}/comments`, { body: 'x' })
    await as(reader, 'POST', `/news/${id}/likes`)
    await as(reader, 'POST', `/news/${id}/collections`)
    await as(who, 'DELETE', path)
    const again = (await as(editor, 'GET', `/admin/news/deletions?state=pending&user_id=${who.id}`)).body
    const racing = await Promise.all([1, 2, 3].map(() => settle('accept', again.data[0].id)))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 403, 403])
    assert.equal((await guest('GET', `/news/${id}`)).status, 404)
    const types = await told(who)
    assert.ok(types.includes('news:delete:reject') && types.includes('news:delete:accept'))
    const [left] = await sql`
      select (select count(*) from comments where commentable_type = 'news' and commentable_id = ${id}) as comments,
        (select count(*) from likes where likeable_type = 'news' and likeable_id = ${id}) as likes,
        (select count(*) from collections where collectible_type = 'news' and collectible_id = ${id}) as collections,
        (select comments_count from user_counts where user_id = ${reader.id}) as written`
    assert.deepEqual(left, { comments: 0, likes: 0, collections: 0, written: 0 })
    for (const check of newsCounters) assert.deepEqual(await check.find(sql), [], check.name)
    assert.equal((await settle('accept', 999_999_999)).status, 404)
  })

  test('by its author or a moderator is immediate under /news/posts (news-17)', async () => {
    const [who, other, moderator] = [await person(), await person(), await person()]
    await sql`
      with role as (insert into roles (name) values ('news moderator') returning id),
      given as (insert into role_abilities (role_id, ability) select id, '[News] Delete News Post' from role)
      insert into user_roles (user_id, role_id) select ${moderator.id}, id from role`
    const [one, two] = [
      await createNews(world, editor, who, { category_id: category }),
      await createNews(world, editor, who, { category_id: category }),
    ]
    assert.equal((await as(other, 'DELETE', `/news/posts/${one}`)).status, 403)
    assert.equal((await as(moderator, 'DELETE', `/news/posts/${one}`)).status, 204)
    assert.equal((await as(who, 'DELETE', `/news/posts/${two}`)).status, 204)
    assert.equal((await as(who, 'DELETE', `/news/posts/${two}`)).status, 404)
    const taken = await createNews(world, editor, who, { category_id: category })
    await decide(taken, { audit_status: 4 })
    assert.equal((await as(who, 'DELETE', `/news/posts/${taken}`)).status, 404)
    assert.equal((await as(moderator, 'DELETE', `/news/posts/${taken}`)).status, 204)
  })

  test('takes back what its comments and likes told people who have not read it', async () => {
    const [who, reader, named] = [await person(), await person(), await person()]
    const id = await createNews(world, editor, who, { category_id: category })
    await as(reader, 'POST', `/news/${id}/likes`)
    await as(reader, 'POST', `/news/${id}/comments`, { body: `\u00AD@${named.name}\u00AD look` })
    await as(who, 'POST', `/news/${id}/comments`, { body: 'indeed', reply_user: reader.id })
    const unread = async () =>
      (
        await sql`select user_id, type from notifications
          where user_id = any(${[who.id, reader.id, named.id]}) and type <> 'system'`
      ).length
    assert.equal(await unread(), 4)
    assert.equal((await as(who, 'DELETE', `/news/posts/${id}`)).status, 204)
    assert.equal(await unread(), 0)
    const { body } = await as(who, 'GET', '/user/notification-statistics')
    assert.deepEqual([body.comment.badge, body.like.badge], [0, 0])
  })
})

test('of others only the published articles are listed (news-18)', async () => {
  const [who, other] = [await writer(), await person()]
  const [waiting, published] = [await contributed(who), await contributed(who)]
  await decide(published, { audit_status: 0 })
  const ids = async (reader: Person, query: string) =>
    (await as(reader, 'GET', `/user/news/contributes?${query}`)).body.map((item: { id: number }) => item.id)
  assert.deepEqual(await ids(who, ''), [published, waiting])
  assert.deepEqual(await ids(who, `after=${published}`), [waiting])
  assert.deepEqual(await ids(other, `user=${who.id}`), [published])
  assert.deepEqual(await ids(other, `user=${who.id}&type=1`), [published])
})

describe('the administration of news', () => {
  test('is closed without its ability', async () => {
    const somebody = await person()
    for (const path of ['', '/categories', '/deletions', '/1', '/categories/1', '/deletions/1'])
      assert.equal((await as(somebody, 'GET', `/admin/news${path}`)).status, 403, path)
  })

  test('publishes, changes, recommends, searches and recycles articles (news-20, news-10)', async () => {
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

  test('keeps category names unique and categories with articles (news-21)', async () => {
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
