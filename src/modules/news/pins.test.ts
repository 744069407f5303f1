import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditLedger, findBalance } from '#modules/ledger/index.ts'
import { createCategory, createNews, givePoints, newsEditor } from '#test/fixtures/news.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const editor = await newsEditor(world)
const category = await createCategory(world, editor)

const points = (who: Person) => findBalance(sql, who.id, 'points')
async function rich(): Promise<Person> {
  const who = await person()
  await givePoints(world, who, 100)
  return who
}
const publish = (author: Person) => createNews(world, editor, author, { category_id: category })
const comment = async (who: Person, news: number): Promise<number> =>
  (await as(who, 'POST', `/news/${news}/comments`, { body: 'see me' })).body.comment.id
const price = { amount: 40, day: 2 }
const assertBalanced = async () => assert.equal((await auditLedger(sql, [])).balanced, true)

describe('article pins', () => {
  test('lets an editor decide a requested article pin once', async () => {
    const [author, other] = [await rich(), await rich()]
    const id = await publish(author)
    const ask = (who: Person, body: object = price) => as(who, 'POST', `/news/${id}/currency-pinneds`, body)
    assert.equal((await ask(other)).status, 403)
    assert.equal((await ask(author, { amount: 101, day: 2 })).status, 422)
    assert.equal((await ask(author)).status, 201)
    assert.equal((await ask(author)).status, 422)
    assert.equal(await points(author), 60)
    assert.equal((await guest('GET', `/news/${id}`)).body.is_pinned, false)
    const [pin] = (await as(author, 'GET', '/news/pinneds')).body
    assert.deepEqual([pin.target, pin.raw, pin.state, pin.news.id], [id, 0, 0, id])
    const decide = () => as(editor, 'PATCH', `/admin/news-pinneds/${pin.id}`, { action: 'accept' })
    const racing = await Promise.all([decide(), decide()])
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 403])
    assert.equal((await guest('GET', `/news/${id}`)).body.is_pinned, true)
    const pinned = await guest('GET', `/news/categories/pinneds?cate_id=${category}`)
    assert.deepEqual(
      pinned.body.map((item: { id: number }) => item.id),
      [id],
    )
    const elsewhere = await createCategory(world, editor)
    assert.deepEqual((await guest('GET', `/news/categories/pinneds?cate_id=${elsewhere}`)).body, [])
    const [notice] =
      await sql`select data from notifications where user_id = ${author.id} and type = 'system'`
    assert.equal(notice?.data.type, 'news:pinned:accept')
    assert.equal((await as(author, 'GET', '/news/average')).body.news, 20)
    await assertBalanced()
  })

  test('refunds a pending article pin on rejection and on deletion of the article', async () => {
    const author = await rich()
    const [one, two] = [await publish(author), await publish(author)]
    for (const id of [one, two]) await as(author, 'POST', `/news/${id}/currency-pinneds`, price)
    assert.equal(await points(author), 20)
    const { data } = (await as(editor, 'GET', `/admin/news-pinneds?news=${one}`)).body
    assert.equal(
      (await as(editor, 'PATCH', `/admin/news-pinneds/${data[0].id}`, { action: 'reject' })).status,
      204,
    )
    assert.equal(await points(author), 60)
    assert.equal((await as(editor, 'DELETE', `/admin/news/${two}`)).status, 204)
    assert.equal(await points(author), 100)
    await assertBalanced()
  })

  test('lets an editor pin an article without payment', async () => {
    const author = await person()
    const id = await publish(author)
    const made = await as(editor, 'POST', '/admin/news-pinneds', { news: id, day: 3 })
    assert.equal(made.status, 201)
    assert.equal((await guest('GET', `/news/${id}`)).body.is_pinned, true)
    assert.equal((await as(editor, 'DELETE', `/admin/news-pinneds/${made.body.id}`)).status, 204)
    assert.equal((await guest('GET', `/news/${id}`)).body.is_pinned, false)
    assert.equal((await as(author, 'GET', '/admin/news-pinneds')).status, 403)
  })
})

describe('comment pins', () => {
  test("pays the article's author for an accepted comment pin (pins-8)", async () => {
    const [author, writer] = [await person(), await rich()]
    const news = await publish(author)
    const id = await comment(writer, news)
    const path = `/news/${news}/comments/${id}/currency-pinneds`
    assert.equal((await as(writer, 'POST', path, price)).status, 201)
    const counts = await as(author, 'GET', '/user/counts')
    assert.equal(counts.body.user['news-comment-pinned'], 1)
    const [pin] = (await as(author, 'GET', '/news/comments/pinneds')).body
    assert.deepEqual(
      [pin.raw, pin.target, pin.comment.id, pin.news.id, pin.user.id],
      [id, news, id, news, writer.id],
    )
    assert.equal((await as(writer, 'PATCH', `${path}/${pin.id}`)).status, 403)
    assert.equal(pin.state, 0)
    const answers = await Promise.all([
      as(author, 'PATCH', `${path}/${pin.id}`),
      as(author, 'PATCH', `${path}/${pin.id}`),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422])
    assert.equal((await as(author, 'GET', '/news/comments/pinneds')).body[0].state, 1)
    assert.deepEqual([await points(writer), await points(author)], [60, 40])
    const { body } = await guest('GET', `/news/${news}/comments`)
    assert.deepEqual([body.pinneds[0].id, body.comments[0].id], [id, id])
    assert.deepEqual((await guest('GET', `/news/${news}/comments?after=${id + 1}`)).body.pinneds, [])
    assert.equal((await as(author, 'DELETE', `/news/${news}/comments/${id}/unpinned`)).status, 204)
    assert.deepEqual((await guest('GET', `/news/${news}/comments`)).body.pinneds, [])
    await assertBalanced()
  })

  test('returns 404 for a pin that belongs to another article or comment', async () => {
    const [author, writer] = [await person(), await rich()]
    const [news, elsewhere] = [await publish(author), await publish(author)]
    const [id, other] = [await comment(writer, news), await comment(writer, elsewhere)]
    await as(writer, 'POST', `/news/${news}/comments/${id}/currency-pinneds`, price)
    const [pin] = (await as(author, 'GET', '/news/comments/pinneds')).body
    for (const path of [
      `${elsewhere}/comments/${other}`,
      `${elsewhere}/comments/${id}`,
      `${news}/comments/${other}`,
    ])
      for (const end of ['', '/reject'])
        assert.equal(
          (await as(author, 'PATCH', `/news/${path}/currency-pinneds/${pin.id}${end}`)).status,
          404,
          path + end,
        )
    const reject = `/news/${news}/comments/${id}/currency-pinneds/${pin.id}/reject`
    assert.equal((await as(await person(), 'PATCH', reject)).status, 422)
    assert.equal((await as(author, 'PATCH', reject)).status, 204)
    assert.equal(await points(writer), 100)
  })

  test('refunds a pin request when its comment is deleted', async () => {
    const [author, writer] = [await rich(), await rich()]
    const news = await publish(author)
    const id = await comment(writer, news)
    await as(writer, 'POST', `/news/${news}/comments/${id}/currency-pinneds`, price)
    assert.equal(await points(writer), 60)
    assert.equal((await as(writer, 'DELETE', `/news/${news}/comments/${id}`)).status, 204)
    assert.equal(await points(writer), 100)
    const own = await comment(author, news)
    await as(author, 'POST', `/news/${news}/comments/${own}/currency-pinneds`, price)
    assert.equal(await points(author), 100)
    assert.equal((await guest('GET', `/news/${news}/comments`)).body.pinneds[0].id, own)
    await assertBalanced()
  })
})
