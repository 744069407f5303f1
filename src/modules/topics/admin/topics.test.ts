import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linkTopics, topicCounters } from '#modules/topics/index.ts'
import { transaction } from '#platform/database'
import { storePicture } from '#test/fixtures/nodes.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world

const founder = await person({ roles: ['founder'] })
const { unique, createTopic, withReview, personWith, selectAuditOf } = topicsOf(world)
const reviewer = await personWith('admin: feed topics')
const read = async (id: number) => (await as(reviewer, 'GET', `/admin/feed-topics/${id}`)).body

describe('topic administration', () => {
  test('requires the ability to administer topics', async () => {
    await as(founder, 'POST', '/admin/roles', { name: 'clerk', abilities: ['admin: login'] })
    const id = await createTopic(await person())
    for (const somebody of [await person(), await person({ roles: ['clerk'] })])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['GET', `/${id}`],
        ['PATCH', `/${id}`],
        ['DELETE', `/${id}`],
        ['PUT', `/${id}/hot`],
        ['PUT', `/${id}/review`],
      ] as const) {
        assert.equal((await as(somebody, method, `/admin/feed-topics${path}`)).status, 403)
        assert.equal((await guest(method, `/admin/feed-topics${path}`)).status, 401)
      }
  })

  test('returns 404 for an unknown topic before it validates the input', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/hot'],
      ['PUT', '/review'],
    ] as const)
      for (const id of ['999999999', '0', 'x']) {
        const answer = await as(reviewer, method, `/admin/feed-topics/${id}${path}`, { hot: 'x', desc: 1 })
        assert.equal(answer.status, 404, `${method} ${id}${path}`)
      }
  })
})

describe('list of topics for administrators', () => {
  test('lists a topic with its counts and creator', async () => {
    const creator = await person()
    const node = await storePicture(world, creator)
    const id = await createTopic(creator, { desc: 'About', logo: node })
    const { status, body } = await as(reviewer, 'GET', `/admin/feed-topics?id=${id}`)
    assert.equal(status, 200)
    assert.equal(body.total, 1)
    const [topic] = body.data
    const { logo, creator: shown, created_at, updated_at, name, ...rest } = topic
    assert.equal(logo.mime, 'image/png')
    assert.equal(shown.id, creator.id)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.match(updated_at, /Z$/)
    assert.match(name, /^Topic \d+$/)
    assert.deepEqual(rest, {
      id,
      desc: 'About',
      creator_user_id: creator.id,
      status: 'passed',
      hot_at: null,
      feeds_count: 0,
      followers_count: 1,
    })
    assert.deepEqual(await read(id), topic)
    await sql`update users set deleted_at = now() where id = ${creator.id}`
    assert.equal((await read(id)).creator, null)
  })

  test('filters topics by status, hot flag and part of the name, and sorts them by their counts', async () => {
    const creator = await person()
    const mark = unique('鹤')
    const ids: number[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await createTopic(creator, { name: `${mark} ${n}%` }))
    const [first, second, third, fourth, fifth] = ids as [number, number, number, number, number]
    await sql`update feed_topics set status = 'waiting' where id = ${first}`
    await sql`update feed_topics set status = 'failed' where id = ${second}`
    await as(reviewer, 'PUT', `/admin/feed-topics/${third}/hot`, { hot: true })
    const fans = [await person(), await person()]
    for (const fan of fans) await as(fan, 'PUT', `/user/feed-topics/${fourth}`)
    await as(fans[0] as Person, 'PUT', `/user/feed-topics/${fifth}`)
    await transaction(sql, (tx) => linkTopics(tx, { topicIds: [third], userId: creator.id }))
    const list = async (query: string) => {
      const url = `/admin/feed-topics?name=${encodeURIComponent(mark)}&${query}`
      const { status, body } = await as(reviewer, 'GET', url)
      assert.equal(status, 200, query)
      return [body.data.map((topic: { id: number }) => topic.id), body.total]
    }
    assert.deepEqual(await list(''), [[fifth, fourth, third, second, first], 5])
    assert.deepEqual(await list('order=asc'), [ids, 5])
    assert.deepEqual(await list('order=asc&limit=2&page=2'), [[third, fourth], 5])
    assert.deepEqual(await list('limit=2&page=9'), [[], 5])
    assert.deepEqual(await list('status=waiting'), [[first], 1])
    assert.deepEqual(await list('status=failed'), [[second], 1])
    assert.deepEqual(await list('hot=1'), [[third], 1])
    assert.deepEqual(await list('hot=0&status=passed'), [[fifth, fourth], 2])
    assert.deepEqual(await list('sort=followers_count&limit=2'), [[fourth, fifth], 5])
    assert.deepEqual(await list('sort=feeds_count&limit=1'), [[third], 5])
    assert.deepEqual(await list('sort=feeds_count&order=asc&limit=1'), [[first], 5])
    assert.deepEqual(await list(`q=${encodeURIComponent('3%')}`), [[fourth], 1])
    assert.deepEqual(await list('q=_'), [[], 0])
    assert.deepEqual(await list('page=NaN&limit=1'), [[fifth], 5])
    for (const query of ['limit=0', 'limit=101', 'sort=name', 'status=open', 'hot=maybe', 'id=x'])
      assert.equal((await as(reviewer, 'GET', `/admin/feed-topics?${query}`)).status, 422, query)
  })
})

describe('topic changes by administrators', () => {
  test('creates a topic without review (topics-11)', async () => {
    const name = unique()
    const body = { name, desc: 'About', logo: await storePicture(world, reviewer) }
    const answer = await withReview(() => as(reviewer, 'POST', '/admin/feed-topics', body))
    assert.equal(answer.status, 201)
    const topic = await read(answer.body.id)
    assert.deepEqual(
      [topic.name, topic.desc, topic.status, topic.creator_user_id, topic.followers_count],
      [name, 'About', 'passed', reviewer.id, 1],
    )
    const twice = await as(reviewer, 'POST', '/admin/feed-topics', { name: name.toUpperCase() })
    assert.deepEqual([twice.status, twice.headers['x-error-code']], [422, 'topic_name_taken'])
    assert.equal((await as(reviewer, 'POST', '/admin/feed-topics', {})).status, 422)
    const [entry] = await selectAuditOf(founder, answer.body.id)
    assert.deepEqual([entry.action, entry.user_id, entry.after.name], ['topics.create', reviewer.id, name])
  })

  test('changes name, description and logo of a topic', async () => {
    const creator = await person()
    const id = await createTopic(creator, { desc: 'before' })
    const other = await createTopic(creator)
    const change = (body: object) => as(reviewer, 'PATCH', `/admin/feed-topics/${id}`, body)
    const name = unique('墨鱼')
    assert.equal((await change({ name, desc: null, logo: await storePicture(world, reviewer) })).status, 204)
    const topic = await read(id)
    assert.deepEqual([topic.name, topic.desc, topic.logo.mime], [name, '', 'image/png'])
    const found = await guest('GET', `/feed/topics?q=${encodeURIComponent('墨鱼')}`)
    assert.deepEqual(
      found.body.map((each: { id: number }) => each.id),
      [id],
    )
    assert.equal((await change({ logo: null })).status, 204)
    assert.equal((await read(id)).logo, null)
    const taken = await change({ name: (await read(other)).name })
    assert.deepEqual([taken.status, taken.headers['x-error-code']], [422, 'topic_name_taken'])
    for (const body of [{ name: 'x'.repeat(101) }, { desc: 'x'.repeat(501) }, { logo: 'nonsense' }])
      assert.deepEqual(Object.keys((await change(body)).body.errors), Object.keys(body))
    assert.equal((await read(id)).name, name)
    await sql`update feed_topics set updated_at = '2026-01-02 03:04:05Z' where id = ${id}`
    assert.equal((await change({})).status, 204)
    assert.equal((await read(id)).updated_at, '2026-01-02T03:04:05Z')
    const [entry] = await selectAuditOf(founder, id)
    assert.deepEqual([entry.before.desc, entry.after.desc, entry.after.name], ['before', '', name])
  })

  test('lists a topic as hot until an administrator removes the mark (topics-12)', async () => {
    const id = await createTopic(await person())
    const set = async (hot: unknown) =>
      (await as(reviewer, 'PUT', `/admin/feed-topics/${id}/hot`, { hot })).status
    const listed = async () =>
      (await guest('GET', '/feed/topics?only=hot')).body.some((topic: { id: number }) => topic.id === id)
    assert.equal(await set(true), 204)
    const { hot_at: since } = await read(id)
    assert.match(since, /Z$/)
    assert.equal(await listed(), true)
    assert.equal(await set('1'), 204)
    assert.equal((await read(id)).hot_at, since)
    assert.equal(await set(0), 204)
    assert.equal((await read(id)).hot_at, null)
    assert.equal(await listed(), false)
    assert.equal(await set('often'), 422)
    assert.equal(await set(undefined), 422)
  })

  test('frees the name of a deleted topic', async () => {
    const creator = await person()
    const name = unique()
    const id = await createTopic(creator, { name })
    await as(await person(), 'PUT', `/user/feed-topics/${id}`)
    await transaction(sql, (tx) => linkTopics(tx, { topicIds: [id], userId: creator.id }))
    assert.equal((await as(reviewer, 'DELETE', `/admin/feed-topics/${id}`)).status, 204)
    assert.equal((await as(reviewer, 'DELETE', `/admin/feed-topics/${id}`)).status, 404)
    assert.equal((await as(creator, 'GET', `/feed/topics/${id}`)).status, 404)
    assert.equal((await sql`select from feed_topic_users where topic_id = ${id}`).length, 0)
    await createTopic(creator, { name })
    const [entry] = await selectAuditOf(founder, id)
    assert.deepEqual([entry.action, entry.before.name, entry.after], ['topics.delete', name, null])
  })

  test('records in the audit log that nothing was removed when the reported topic is already deleted (feeds-40)', async () => {
    const reporter = await person()
    const id = await createTopic(await person())
    const path = `/user/report-feed-topics/${id}`
    assert.equal((await as(reporter, 'PUT', path, { message: 'spam' })).status, 204)
    const { data } = (await as(founder, 'GET', '/admin/reports')).body
    const { id: report } = data.find(({ user_id }: { user_id: number }) => user_id === reporter.id)
    assert.equal((await as(reviewer, 'DELETE', `/admin/feed-topics/${id}`)).status, 204)
    const decision = { action: 'deal', remove: true }
    const decided = await as(founder, 'PATCH', `/admin/reports/${report}`, decision)
    assert.equal(decided.status, 204)
    const entries = await as(founder, 'GET', `/admin/audit-log?subject_type=reports&subject_id=${report}`)
    assert.equal(entries.body.data[0].after.removed, false)
  })

  test('deletes a topic during concurrent follows and new feeds', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => person()))
    const id = await createTopic(people[0] as Person)
    const answers = await Promise.all([
      ...people.map((each) => as(each, 'PUT', `/user/feed-topics/${id}`)),
      as(reviewer, 'DELETE', `/admin/feed-topics/${id}`),
      ...people.map((each) => as(each, 'DELETE', `/user/feed-topics/${id}`)),
      ...people.map((each) =>
        transaction(sql, (tx) => linkTopics(tx, { topicIds: [id], userId: each.id })).then(
          () => ({ status: 204 }),
          (error: { status: number }) => ({ status: error.status }),
        ),
      ),
    ])
    for (const { status } of answers) assert.ok([204, 404, 422].includes(status), String(status))
    assert.equal((await sql`select from feed_topic_users where topic_id = ${id}`).length, 0)
    for (const check of topicCounters) assert.deepEqual(await check.find(sql), [])
  })
})
