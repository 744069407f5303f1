import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { createTopic, withReview, personWith, selectAuditOf } = topicsOf(world)

const founder = await person({ roles: ['founder'] })
const reviewer = await personWith('admin: feed topics')
const read = async (id: number) => (await as(reviewer, 'GET', `/admin/feed-topics/${id}`)).body
const review = (id: number, status: unknown) =>
  as(reviewer, 'PUT', `/admin/feed-topics/${id}/review`, { status })
const noticesOf = (somebody: Person) =>
  sql<{ type: string; sender_id: number; data: Record<string, unknown> }[]>`
    select type, sender_id, data from notifications where user_id = ${somebody.id} order by seq`

describe('topic review', () => {
  test('notifies the creator of a passed topic (topics-13)', async () => {
    const creator = await person()
    const waiting = async () =>
      (await as(founder, 'GET', '/admin/statistics/waiting')).body.data.find(
        ({ name }: { name: string }) => name === 'topic-reviews',
      ).count as number
    const before = await waiting()
    const id = await withReview(() => createTopic(creator))
    assert.equal(await waiting(), before + 1)
    const { name, status } = await read(id)
    assert.equal(status, 'waiting')
    assert.equal((await guest('GET', `/feed/topics/${id}`)).status, 404)
    const answer = await review(id, 'passed')
    assert.deepEqual([answer.status, answer.body], [204, null])
    assert.equal(await waiting(), before)
    assert.equal((await guest('GET', `/feed/topics/${id}`)).status, 200)
    assert.deepEqual(
      [...(await noticesOf(creator))],
      [
        {
          type: 'system',
          sender_id: 0,
          data: {
            type: 'feed:topic:create:passed',
            resource: { type: 'feed-topics', id },
            topic: { id, name },
          },
        },
      ],
    )
    const entry = (await selectAuditOf(founder, id)).at(-1)
    assert.deepEqual(
      [entry.action, entry.before.status, entry.after.status],
      ['topics.review', 'waiting', 'passed'],
    )
  })

  test('rejects status changes that the review does not allow (topics-13)', async () => {
    const creator = await person()
    await withReview(async () => {
      const id = await createTopic(creator)
      const steps = [
        ['failed', 204],
        ['failed', 422],
        ['passed', 204],
        ['passed', 422],
        ['failed', 204],
        ['waiting', 422],
        ['hidden', 422],
        [undefined, 422],
      ] as const
      for (const [status, expected] of steps)
        assert.equal((await review(id, status)).status, expected, String(status))
      assert.equal((await read(id)).status, 'failed')
      assert.deepEqual(
        (await noticesOf(creator)).map(({ data }) => data.type),
        ['feed:topic:create:failed', 'feed:topic:create:passed', 'feed:topic:create:failed'],
      )
      const again = await review(id, 'failed')
      assert.deepEqual(again.body, { message: 'The topic is already in this state.' })
    })
  })

  test('sends no notification when review is off and a passed topic is rejected', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    assert.equal((await review(id, 'failed')).status, 204)
    assert.equal((await guest('GET', `/feed/topics/${id}`)).status, 404)
    assert.equal((await noticesOf(creator)).length, 0)
  })

  test('applies one decision when review requests race', async () => {
    const creator = await person()
    const id = await withReview(() => createTopic(creator))
    const answers = await Promise.all(Array.from({ length: 5 }, () => review(id, 'passed')))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422, 422, 422])
    assert.equal((await noticesOf(creator)).length, 1)
  })
})
