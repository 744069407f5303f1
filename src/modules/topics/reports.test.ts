import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { createTopic, setStatus, detail } = topicsOf(world)

describe('topic reports', () => {
  const report = (somebody: Person, id: number, body: unknown, query = '') =>
    as(somebody, 'PUT', `/user/report-feed-topics/${id}${query}`, body)
  const listed = (id: number) =>
    sql<Record<string, unknown>[]>`
      select user_id, target_user, subject, reason, status from reports
      where reportable_type = 'feed-topics' and reportable_id = ${id} order by id`

  test("stores a report with the topic's name and creator", async () => {
    const [creator, reporter] = [await person(), await person()]
    const id = await createTopic(creator)
    const { name } = await detail(id)
    const answer = await report(reporter, id, { message: ' 广告 ' })
    assert.deepEqual([answer.status, answer.body], [204, null])
    assert.deepEqual(
      [...(await listed(id))],
      [
        {
          user_id: reporter.id,
          target_user: creator.id,
          subject: `#${id} ${name}`,
          reason: '广告',
          status: 0,
        },
      ],
    )
    assert.equal((await report(creator, id, { message: 'my own' })).status, 204)
    assert.equal((await report(await person(), id, undefined, '?message=queried')).status, 204)
    assert.equal((await report(reporter, id, { message: 'again' })).status, 204)
    assert.equal((await listed(id)).length, 3)
  })

  test('requires a message of at most 255 characters (topics-10)', async () => {
    const id = await createTopic(await person())
    const reporter = await person()
    for (const body of [undefined, {}, { message: ' ' }, { message: '长'.repeat(256) }, { message: 5 }]) {
      const answer = await report(reporter, id, body)
      assert.equal(answer.status, 422)
      assert.deepEqual(Object.keys(answer.body.errors), ['message'])
    }
    assert.equal((await report(reporter, id, { message: '长'.repeat(255) })).status, 204)
  })

  test('reads the text from `reason` and `content`, after `message` (topics-10)', async () => {
    const id = await createTopic(await person())
    for (const [body, query] of [
      [{ reason: 'reason' }, ''],
      [{ content: 'content', message: null }, ''],
      [{ content: 'no', reason: 'no', message: 'message' }, ''],
      [undefined, '?reason=query'],
    ] as const)
      assert.equal((await report(await person(), id, body, query)).status, 204)
    const reasons = (await listed(id)).map(({ reason }) => reason)
    assert.deepEqual(reasons, ['reason', 'content', 'message', 'query'])
    const long = await report(await person(), id, { reason: '长'.repeat(256) })
    assert.deepEqual([long.status, 'reason' in long.body.errors], [422, true])
  })

  test('returns 404 for a report of an unknown or hidden topic', async () => {
    const id = await createTopic(await person())
    await setStatus(id, 'waiting')
    assert.equal((await guest('PUT', `/user/report-feed-topics/${id}`, { message: 'x' })).status, 401)
    for (const each of [id, 999_999_999])
      for (const body of [{ message: 'x' }, {}])
        assert.equal((await report(await person(), each, body)).status, 404)
  })
})
