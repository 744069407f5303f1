import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createCategory, createNews, givePoints } from '#test/fixtures/news.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
const admin = await person({ roles: ['founder', 'owner'] })
const category = await createCategory(world, admin)

const things = {
  feeds: feedsOf(world).publish,
  news: (by: Person) => createNews(world, admin, by, { category_id: category }),
}

for (const [kind, name, key] of [
  ['feeds', 'feed-comment-pinned', 'feeds'],
  ['news', 'news-comment-pinned', 'news-comments'],
] as const)
  test(`counts a requested comment pin in ${name} until the author accepts the pin or clears the count`, async () => {
    const [author, ben] = [await person(), await person()]
    await givePoints(world, ben, 1000)
    const id = await things[kind](author)
    const url = `/${kind}/${id}/comments`
    const ask = async () => {
      const { comment } = (await as(ben, 'POST', url, { body: 'see me' })).body
      const reply = await as(ben, 'POST', `${url}/${comment.id}/currency-pinneds`, { amount: 1, day: 1 })
      assert.equal(reply.status, 201)
      return comment.id as number
    }
    const waiting = async (who: Person) => {
      const { user } = (await as(who, 'GET', '/user/counts')).body
      const { pinneds } = (await as(who, 'GET', '/user/unread-count')).body
      assert.equal(pinneds[key].count, user[name])
      assert.deepEqual(pinneds.news, pinneds['news-comments'])
      const others = Object.entries(user).filter(([other]) => other.endsWith('-pinned') && other !== name)
      assert.ok(others.every(([, count]) => count === 0))
      if (user[name] > 0) assert.match(pinneds[key].time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      else assert.equal(pinneds[key].time, null)
      return user[name] as number
    }
    const accept = async (comment: number) => {
      const [pin] = await sql<{ id: number }[]>`
        select id from pins where channel in ('feed:comment', 'news:comment') and target_id = ${comment} order by id desc`
      assert.equal((await as(author, 'PATCH', `${url}/${comment}/currency-pinneds/${pin!.id}`)).status, 201)
    }
    const [one, two, three] = [await ask(), await ask(), await ask()]
    assert.deepEqual([await waiting(author), await waiting(ben)], [3, 0])
    await accept(one)
    assert.equal(await waiting(author), 2)
    assert.equal((await as(ben, 'DELETE', `${url}/${two}`)).status, 204)
    assert.equal(await waiting(author), 1)
    assert.equal((await as(author, 'PATCH', '/user/counts', { type: name })).status, 204)
    assert.equal(await waiting(author), 0)
    await ask()
    assert.equal(await waiting(author), 1)
    await accept(three)
    assert.equal(await waiting(author), 1)
    assert.equal((await as(author, 'PATCH', '/user/counts')).status, 204)
    assert.equal(await waiting(author), 0)
  })
