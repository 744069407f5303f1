import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicCounters, unlinkTopics } from '#modules/topics/index.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { createTopic, post, unpost, detail, assertNoDrift } = topicsOf(world)

describe('topic followers', () => {
  test('counts a repeated follow once (topics-7)', async () => {
    const id = await createTopic(await person())
    const follower = await person()
    const call = async (method: 'PUT' | 'DELETE') => {
      const answer = await as(follower, method, `/user/feed-topics/${id}`)
      assert.deepEqual([answer.status, answer.body], [204, null])
      return (await detail(id)).followers_count
    }
    assert.equal(await call('DELETE'), 1)
    assert.equal(await call('PUT'), 2)
    assert.equal(await call('PUT'), 2)
    assert.equal(await call('DELETE'), 1)
    assert.equal(await call('DELETE'), 1)
    assert.equal(await call('PUT'), 2)
  })

  test('accepts a PUT without a body but with a JSON content type', async () => {
    const id = await createTopic(await person())
    const headers = { 'content-type': 'application/json', 'content-length': '0' }
    const answer = await as(await person(), 'PUT', `/user/feed-topics/${id}`, undefined, headers)
    assert.equal(answer.status, 204)
  })

  test('keeps a user as a participant of a topic after an unfollow', async () => {
    const id = await createTopic(await person())
    const poster = await person()
    await post(poster.id, id)
    assert.equal((await as(poster, 'PUT', `/user/feed-topics/${id}`)).status, 204)
    assert.equal((await detail(id)).followers_count, 2)
    assert.equal((await as(poster, 'DELETE', `/user/feed-topics/${id}`)).status, 204)
    const topic = await detail(id)
    assert.deepEqual([topic.followers_count, topic.feeds_count, topic.participants], [1, 1, [poster.id]])
    assert.equal((await as(poster, 'GET', `/feed/topics/${id}`)).body.has_followed, false)
  })

  test('lets the creator unfollow the topic (topics-7)', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    for (let n = 0; n < 3; n += 1)
      assert.equal((await as(creator, 'DELETE', `/user/feed-topics/${id}`)).status, 204)
    assert.equal((await detail(id)).followers_count, 0)
  })

  test('counts a follower once when the user sends concurrent follows', async () => {
    const owners = await Promise.all([person(), person()])
    const topics = await Promise.all(owners.map((owner) => createTopic(owner)))
    const people = await Promise.all(Array.from({ length: 6 }, () => person()))
    const asked = people.flatMap((who) => [...topics, ...topics, 999_999].map((id) => ({ who, id })))
    const statuses = await Promise.all(
      asked.map(async ({ who, id }) => (await as(who, 'PUT', `/user/feed-topics/${id}`)).status),
    )
    assert.deepEqual(
      statuses,
      asked.map(({ id }) => (id === 999_999 ? 404 : 204)),
    )
    for (const id of topics) assert.equal((await detail(id)).followers_count, 7)
  })

  test('counts each follower once when follows and unfollows race', async () => {
    const id = await createTopic(await person())
    const people = await Promise.all(Array.from({ length: 6 }, () => person()))
    const all = (method: 'PUT' | 'DELETE') =>
      people.flatMap((each) => [1, 2, 3].map(() => as(each, method, `/user/feed-topics/${id}`)))
    for (const { status } of await Promise.all(all('PUT'))) assert.equal(status, 204)
    assert.equal((await detail(id)).followers_count, 7)
    for (const { status } of await Promise.all([...all('DELETE'), ...all('PUT')])) assert.equal(status, 204)
    await assertNoDrift()
    for (const { status } of await Promise.all(all('DELETE'))) assert.equal(status, 204)
    assert.equal((await detail(id)).followers_count, 1)
    await assertNoDrift()
  })
})

describe('topic participants', () => {
  test('lists participants by their last feed in the topic', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    const posters: number[] = []
    for (let n = 0; n < 17; n += 1) posters.push((await person()).id)
    for (const poster of posters) await post(poster, id)
    await as(await person(), 'PUT', `/user/feed-topics/${id}`)
    const newest = [...posters].reverse()
    const list = async (query = '') => (await guest('GET', `/feed/topics/${id}/participants${query}`)).body
    assert.deepEqual(await list(), newest.slice(0, 15))
    assert.deepEqual(await list('?limit=100'), newest)
    assert.deepEqual(await list('?limit=4&offset=2'), newest.slice(2, 6))
    assert.deepEqual(await list('?offset=17'), [])
    await post(posters[0] as number, id)
    assert.deepEqual(await list('?limit=2'), [posters[0], newest[0]])
  })

  test('returns 422 when paging parameters are invalid', async () => {
    const id = await createTopic(await person())
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'offset=x', 'offset=1.5']) {
      const answer = await guest('GET', `/feed/topics/${id}/participants?${query}`)
      assert.equal(answer.status, 422, query)
      assert.deepEqual(Object.keys(answer.body.errors), [query.split('=')[0]])
    }
  })

  test('removes a participant only when the user has no feed left in the topic (topics-8)', async () => {
    const [creator, poster] = [await person(), await person()]
    const id = await createTopic(creator)
    await post(creator.id, id)
    await post(poster.id, id)
    await post(poster.id, id)
    await unpost(poster.id, id)
    assert.deepEqual((await detail(id)).participants, [poster.id])
    await unpost(poster.id, id)
    const topic = await detail(id)
    assert.deepEqual([topic.participants, topic.feeds_count], [[], 1])
    // Removes a feed although the user has none left. Feeds of other users must stay counted.
    await unpost(poster.id, id)
    assert.equal((await detail(id)).feeds_count, 1)
    await assertNoDrift()
  })
})

test('counts one removal when a feed is removed twice concurrently', async () => {
  const [creator, poster] = [await person(), await person()]
  const id = await createTopic(creator)
  for (const each of [creator, poster]) await post(each.id, id)
  let again: Promise<void> | undefined
  await sql.begin(async (tx) => {
    await unlinkTopics(tx, { topicIds: [id], userId: poster.id })
    again = unpost(poster.id, id)
    await untilWaiting(sql)
  })
  await again
  assert.equal((await detail(id)).feeds_count, 1)
  await assertNoDrift()
})

describe('feed counts of topics', () => {
  test('counts a feed in none of its topics when one of them is unknown (topics-14)', async () => {
    const creator = await person()
    const [one, two] = [await createTopic(creator), await createTopic(creator)]
    await post(creator.id, one, two, one)
    assert.equal((await detail(one)).feeds_count, 1)
    await assert.rejects(post(creator.id, one, 999_999_999), { status: 422, code: 'unknown_topic' })
    assert.equal((await detail(one)).feeds_count, 1)
  })

  test('keeps feed counts exact when new feeds race with follows and deletions', async () => {
    const creator = await person()
    const topics = await Promise.all(Array.from({ length: 4 }, () => createTopic(creator)))
    const people = await Promise.all(Array.from({ length: 4 }, () => person()))
    await Promise.all(people.flatMap(({ id }) => [post(id, ...topics), post(id, ...topics)]))
    const answers = await Promise.all(
      people.flatMap((each, n) => [
        post(each.id, ...(n % 2 ? topics : [...topics].reverse())),
        as(each, 'PUT', `/user/feed-topics/${topics[n]}`),
        unpost(each.id, ...(n % 2 ? [...topics].reverse() : topics)),
        post(each.id, topics[n] as number),
        as(each, 'DELETE', `/user/feed-topics/${topics[n]}`),
        unpost(each.id, topics[n] as number),
      ]),
    )
    for (const answer of answers) if (answer) assert.equal(answer.status, 204)
    for (const topic of topics) assert.equal((await detail(topic)).feeds_count, 8)
    await assertNoDrift()
  })
})

test('repairs drift of topic counters with a recount', async () => {
  const id = await createTopic(await person())
  await sql`update feed_topic_counts set followers_count = 5, feeds_count = 3 where topic_id = ${id}`
  const found = await Promise.all(topicCounters.map((check) => check.find(sql)))
  assert.deepEqual(found, [
    [{ key: String(id), kept: 5, counted: 1 }],
    [{ key: String(id), kept: 3, counted: 0 }],
  ])
  for (const check of topicCounters) assert.equal(await check.mend(sql), 1)
  await assertNoDrift()
})
