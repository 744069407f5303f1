import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Item, idsOf, timelinesOf } from '#test/fixtures/timelines.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { publish, publishMany, pages, createTopic } = timelinesOf(world)

describe('feeds of a topic', () => {
  test('pages through the feeds of a topic in ascending or descending order of `index` (topics-14)', async () => {
    const alice = await person()
    const topic = await createTopic(alice)
    const ids = await publishMany(alice, 7, { topics: [topic] })
    const url = `/feed/topics/${topic}/feeds`
    const page = async (query: string): Promise<Item[]> => (await guest('GET', `${url}?${query}`)).body
    for (const direction of ['desc', 'asc']) {
      const found = await pages((last) =>
        page(`limit=3&direction=${direction}${last ? `&index=${last.index}` : ''}`),
      )
      assert.deepEqual(found, direction === 'desc' ? ids.toReversed() : ids)
    }
    const [newest] = await page('limit=1')
    assert.equal(typeof newest!.index, 'number')
    assert.equal(newest!.feed_view_count, 0)
    for (const query of ['limit=0', 'limit=101', 'index=-1', 'direction=up'])
      assert.equal((await guest('GET', `${url}?${query}`)).status, 422, query)
  })

  test('returns 404 for the feeds of a topic that is hidden from the viewer (topics-6)', async () => {
    const [alice, bob] = [await person(), await person()]
    const topic = await createTopic(alice)
    const feed = await publish(alice, { topics: [topic] })
    await sql`update feed_topics set status = 'waiting' where id = ${topic}`
    assert.deepEqual((await as(bob, 'GET', `/feeds/${feed}`)).body.topics, [])
    assert.equal((await as(alice, 'GET', `/feeds/${feed}`)).body.topics[0].id, topic)
    const url = `/feed/topics/${topic}/feeds`
    assert.equal((await guest('GET', url)).status, 404)
    assert.equal((await as(bob, 'GET', url)).status, 404)
    assert.equal((await as(alice, 'GET', url)).body.length, 1)
    assert.equal((await guest('GET', '/feed/topics/999999999/feeds')).status, 404)
    assert.equal((await guest('GET', '/feed/topics/999999999/feeds?limit=0')).status, 404)
  })
})

describe('single feeds', () => {
  test('returns the eight latest likes of a feed, newest first', async () => {
    const alice = await person()
    const id = await publish(alice)
    const people = await Promise.all(Array.from({ length: 9 }, () => person()))
    for (const who of people) await as(who, 'POST', `/feeds/${id}/like`)
    const { likes, like_count } = (await guest('GET', `/feeds/${id}`)).body
    assert.equal(like_count, 9)
    assert.deepEqual(
      likes.map(({ user_id }: { user_id: number }) => user_id),
      people
        .slice(1)
        .map(({ id }) => id)
        .toReversed(),
    )
    assert.equal((await guest('GET', '/feeds/999999999')).status, 404)
    assert.equal((await guest('GET', '/feeds/none')).status, 404)
  })
})

describe('collected feeds', () => {
  test('lists collected feeds only to the user who collected them (feeds-23)', async () => {
    const [alice, viewer] = [await person(), await person()]
    const ids = await publishMany(alice, 5)
    for (const id of ids.toReversed()) await as(viewer, 'POST', `/feeds/${id}/collections`)
    await as(alice, 'DELETE', `/feeds/${ids[1]}`)
    const url = '/feeds/collections'
    const first = (await as(viewer, 'GET', `${url}?limit=2`)).body
    const second = (await as(viewer, 'GET', `${url}?limit=2&offset=2&user=${viewer.id}`)).body
    assert.deepEqual(idsOf([...first, ...second]), [ids[0], ids[2], ids[3], ids[4]])
    assert.ok(first[0].has_collect)
    assert.equal((await guest('GET', url)).status, 401)
    assert.equal((await as(alice, 'GET', `${url}?user=${viewer.id}`)).status, 403)
    assert.deepEqual((await as(alice, 'GET', url)).body, [])
  })
})
