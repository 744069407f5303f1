import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { pinWorld } from '#test/fixtures/pins.ts'
import { untilWaiting } from '#test/waiting.ts'
import type { Person } from '#test/world.ts'

const {
  world,
  as,
  sql,
  founder,
  person,
  give,
  points,
  rich,
  feedOf,
  commentOf,
  pinFeed,
  pinComment,
  pinOf,
  approve,
  reject,
  decide,
  told,
} = await pinWorld()
const { group, member, post } = groupMaker(world)

const price = { amount: 10, day: 1 }
const ids = async (who: Person, path: string) =>
  (await as(who, 'GET', path)).body.map(({ id }: { id: number }) => id)

test('lists pending requests before decided ones (pins-8)', async () => {
  const [author, applicant] = [await rich(0), await rich()]
  const feed = await feedOf(author)
  const asked: { comment: number; pin: number }[] = []
  for (let n = 0; n < 4; n += 1) {
    const comment = await commentOf(applicant, feed)
    await pinComment(applicant, feed, comment, price)
    asked.push({ comment, pin: (await pinOf('feed:comment', comment)).id })
  }
  const [accepted, waiting, rejected, newest] = asked.map(({ pin }) => pin) as [
    number,
    number,
    number,
    number,
  ]
  await approve(author, feed, asked[0]!.comment, accepted)
  await reject(author, rejected)
  const list = (query = '') => ids(author, `/user/feed-comment-pinneds${query}`)
  assert.deepEqual(await list(), [newest, waiting, rejected, accepted])
  assert.deepEqual(await list('?limit=2'), [newest, waiting])
  assert.deepEqual(await list(`?limit=2&after=${newest}`), [waiting, rejected])
  assert.deepEqual(await list(`?limit=2&after=${waiting}`), [rejected, accepted])
  assert.deepEqual(await list(`?after=${rejected}`), [accepted])
  assert.deepEqual(await list(`?after=${accepted}`), [])
})

test("lists the user's own requests for article pins", async () => {
  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const [author, other] = [await rich(), await rich()]
  const pinNews = async (who: Person) => {
    const news = await createNews(world, editor, who, { category_id: category })
    assert.equal((await as(who, 'POST', `/news/${news}/currency-pinneds`, price)).status, 201)
    return (await pinOf('news', news)).id
  }
  const [one, two] = [await pinNews(author), await pinNews(author)]
  const others = await pinNews(other)
  assert.deepEqual(await ids(author, '/news/pinneds'), [two, one])
  assert.deepEqual(await ids(other, '/news/pinneds'), [others])
  assert.deepEqual(await ids(author, `/news/pinneds?after=${two}`), [one])
  assert.deepEqual(await ids(author, `/news/pinneds?after=${one}`), [])
})

async function askForPost(who: Person, of: number) {
  const made = await post(who, of)
  await give(who, 100)
  assert.equal((await as(who, 'POST', `/currency-pinned/posts/${made}`, price)).status, 201)
  return { post: made, pin: (await pinOf('group-post', made)).id }
}

test('lists the pin requests in the groups of a founder and filters them by group (groups-26)', async () => {
  const founder = await person()
  const [id, elsewhere] = [await group(founder), await group(founder)]
  const [alice, ben] = [await member(id, founder), await member(id, founder)]
  const one = await askForPost(alice, id)
  const two = await askForPost(alice, id)
  const bens = await askForPost(ben, id)
  const there = await askForPost(await member(elsewhere, founder), elsewhere)
  assert.deepEqual(await ids(founder, '/pinned/posts'), [there.pin, bens.pin, two.pin, one.pin])
  assert.deepEqual(await ids(founder, `/pinned/posts?group=${id}`), [bens.pin, two.pin, one.pin])
  assert.deepEqual(await ids(founder, `/pinned/posts?group=${elsewhere}`), [there.pin])
  assert.deepEqual(await ids(founder, `/pinned/posts?after=${two.pin}`), [one.pin])

  const own = (who: Person, type: number, query = '') => ids(who, `/user-group-posts?type=${type}${query}`)
  assert.deepEqual(await own(alice, 3), [two.post, one.post])
  assert.deepEqual(await own(ben, 3), [bens.post])
  assert.deepEqual(await own(alice, 3, `&after=${two.post}`), [one.post])
  assert.deepEqual(await own(alice, 3, `&after=${one.post}`), [])
  assert.equal((await as(founder, 'PATCH', `/currency-pinned/posts/${one.post}/accept`)).status, 201)
  assert.deepEqual(await own(alice, 2), [one.post])
  assert.deepEqual(await own(alice, 3), [two.post])
  assert.deepEqual(await own(ben, 2), [])
})

test('returns 404 when a founder decides on a post without a pin request (groups-26)', async () => {
  const founder = await person()
  const made = await post(founder, await group(founder))
  for (const verb of ['accept', 'reject'])
    assert.equal((await as(founder, 'PATCH', `/currency-pinned/posts/${made}/${verb}`)).status, 404)
})

test('sends no notification of a pin request when users pin a comment under their own post (pins-5)', async () => {
  const author = await person()
  const made = await post(author, await group(author))
  const { body } = await as(author, 'POST', `/group-posts/${made}/comments`, { body: 'Read this' })
  const answer = await as(author, 'POST', `/currency-pinned/comments/${body.comment.id}`, { day: 1 })
  assert.deepEqual([answer.status, answer.body.message], [201, ['Pinned.']])
  assert.ok(!(await told(author)).some(([type]: string[]) => type === 'group:send-comment-pinned'))
})

test('charges nothing when the feed is deleted during the pin request (pins-12)', async () => {
  const anna = await rich()
  const feed = await feedOf(anna)
  let asking: ReturnType<typeof pinFeed> | undefined
  await sql.begin(async (tx) => {
    await tx`update feeds set deleted_at = now() where id = ${feed}`
    asking = pinFeed(anna, feed)
    await untilWaiting(sql)
  })
  assert.equal((await asking)?.status, 404)
  assert.equal(await points(anna), 1000)
})

test('requires an amount for a pin that another user must approve (pins-1)', async () => {
  const founder = await person()
  const id = await group(founder)
  const alice = await member(id, founder)
  const answer = await as(alice, 'POST', `/currency-pinned/posts/${await post(alice, id)}`, { day: 1 })
  assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['amount']])
})

test('assigns only pending pin requests to the new founder of a group (groups-14)', async () => {
  const founder = await person()
  const [id, elsewhere] = [await group(founder), await group(founder)]
  const [alice, heir] = [await member(id, founder), await member(id, founder)]
  const [decided, waiting] = [await askForPost(alice, id), await askForPost(alice, id)]
  const there = await askForPost(await member(elsewhere, founder), elsewhere)
  assert.equal((await as(founder, 'PATCH', `/currency-pinned/posts/${decided.post}/accept`)).status, 201)
  assert.equal((await as(founder, 'PATCH', `/groups/${id}/owner`, { target: heir.id })).status, 201)
  assert.deepEqual(await ids(heir, '/pinned/posts'), [waiting.pin])
  assert.deepEqual(await ids(founder, '/pinned/posts'), [there.pin, decided.pin])
})

test('leaves other pins unchanged when a pin is ended or extended', async () => {
  const author = await person()
  const feed = await feedOf(author)
  const [one, two] = [await commentOf(author, feed), await commentOf(author, feed)]
  for (const comment of [one, two]) await pinComment(author, feed, comment, price)
  const end = `/feeds/${feed}/comments/${one}/unpinned`
  assert.equal((await as(author, 'DELETE', end)).status, 204)
  const { pinneds } = (await as(author, 'GET', `/feeds/${feed}/comments`)).body
  assert.deepEqual(
    pinneds.map(({ id }: { id: number }) => id),
    [two],
  )

  const [longer, other] = [await feedOf(author), await feedOf(author)]
  const pin = (feed: number) => as(founder, 'POST', '/admin/feed-pinneds', { feed, day: 2 })
  for (const each of [longer, other]) assert.equal((await pin(each)).status, 201)
  const { expires_at: before } = await pinOf('feed', other)
  assert.equal((await pin(longer)).status, 201)
  assert.deepEqual((await pinOf('feed', other)).expires_at, before)
})

test('counts a pin request for administrators until its decision (administration-14)', async () => {
  const count = async () =>
    (await as(founder, 'GET', '/admin/statistics/waiting')).body.data.find(
      ({ name }: { name: string }) => name === 'feed-pins',
    ).count as number
  const before = await count()
  const anna = await rich()
  const feed = await feedOf(anna)
  await pinFeed(anna, feed)
  assert.equal(await count(), before + 1)
  await decide((await pinOf('feed', feed)).id, 'accept')
  assert.equal(await count(), before)
})
