import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { feedCountersOf } from '#test/fixtures/feed-counters.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world

const { nextMark: mark, publish, read } = feedsOf(world)
const { feedsCount, createTopic, topicCount, assertNoDrift } = feedCountersOf(world, mark)
describe('feed deletion', () => {
  for (const path of ['/currency', '']) {
    test(`deletes a feed once with DELETE /feeds/{feed}${path}`, async () => {
      const alice = await person()
      const topic = await createTopic(alice)
      const id = await publish(alice, { topics: [topic] })
      assert.equal((await guest('DELETE', `/feeds/${id}${path}`)).status, 401)
      assert.equal((await as(alice, 'DELETE', `/feeds/${id}${path}`)).status, 204)
      assert.equal((await as(alice, 'DELETE', `/feeds/${id}${path}`)).status, 404)
      assert.equal((await guest('GET', `/feeds/${id}`)).status, 404)
      assert.deepEqual((await guest('GET', `/feed/topics/${topic}/feeds`)).body, [])
      assert.equal(await topicCount(topic), 0)
      assert.equal(await feedsCount(alice), 0)
    })
  }

  test('restricts feed deletion to the author and moderators (feeds-26)', async () => {
    const [alice, bob, moderator] = [await person(), await person(), await person({ roles: ['founder'] })]
    const id = await publish(alice)
    assert.equal((await as(bob, 'DELETE', `/feeds/${id}/currency`)).status, 403)
    assert.equal((await as(moderator, 'DELETE', `/feeds/${id}/currency`)).status, 204)
    assert.equal(await feedsCount(alice), 0)
    assert.equal((await as(bob, 'DELETE', '/feeds/999999999/currency')).status, 404)
    assert.equal((await as(bob, 'DELETE', '/feeds/none/currency')).status, 404)
  })

  test("forbids other users to delete a disabled author's feed", async () => {
    const [alice, bob] = [await person(), await person()]
    const id = await publish(alice)
    await sql`update users set deleted_at = now() where id = ${alice.id}`
    assert.equal((await as(bob, 'DELETE', `/feeds/${id}/currency`)).status, 403)
    assert.equal((await read(id)).user, null)
  })

  test('counts concurrent deletions of a feed once', async () => {
    const alice = await person()
    const topics = [await createTopic(alice)]
    const id = await publish(alice, { topics })
    await publish(alice, { topics })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as(alice, 'DELETE', `/feeds/${id}/currency`)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404, 404, 404])
    assert.equal(await feedsCount(alice), 1)
    assert.equal(await topicCount(topics[0]!), 1)
    await assertNoDrift()
  })
})
