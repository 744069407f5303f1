import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storePicture } from '#test/fixtures/nodes.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person } = world
const topics = topicsOf(world)
const { unique, createTopic, setStatus, withReview, post, detail, assertNoDrift } = topics
const reviewer = await topics.personWith('admin: feed topics')
const editor = await topics.personWith('admin: update feed topic')
const codeOf = (answer: { headers: Record<string, unknown> }) => answer.headers['x-error-code']

describe('topic creation', () => {
  test('makes the creator a follower of the new topic (topics-5)', async () => {
    const creator = await person()
    const name = unique()
    const made = await as(creator, 'POST', '/feed/topics', { name: `  ${name} `, desc: 'About it' })
    assert.equal(made.status, 201)
    assert.deepEqual(made.body, { id: made.body.id, need_review: false })
    const { status, body } = await as(creator, 'GET', `/feed/topics/${made.body.id}`)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      id: made.body.id,
      name,
      logo: null,
      desc: 'About it',
      creator_user_id: creator.id,
      feeds_count: 0,
      followers_count: 1,
      has_followed: true,
      participants: [],
    })
  })

  test('accepts a null, empty or missing description and logo', async () => {
    const creator = await person()
    for (const body of [{ desc: null, logo: null }, { desc: '', logo: '' }, {}]) {
      const topic = await detail(await createTopic(creator, body))
      assert.deepEqual([topic.desc, topic.logo], ['', null])
    }
  })

  test('returns the picture that the creator set as the logo (topics-15)', async () => {
    const creator = await person()
    const node = await storePicture(world, creator)
    const { logo } = await detail(await createTopic(creator, { logo: node }))
    assert.equal(new URL(logo.url).pathname.startsWith('/storage/public:'), true)
    assert.deepEqual(
      [logo.vendor, logo.mime, logo.dimension],
      ['local', 'image/png', { width: 30, height: 20 }],
    )
    assert.ok(logo.size > 0)
    const { pathname } = new URL(logo.url)
    assert.equal((await world.app.inject({ method: 'GET', url: pathname })).statusCode, 200)
  })

  test("rejects a logo that is unknown, not uploaded or another user's (topics-15)", async () => {
    const creator = await person()
    const nodes = [
      'public:2026/01/01/none.png',
      'nonsense',
      await storePicture(world, creator, { finish: false }),
      await storePicture(world, await person()),
    ]
    for (const logo of nodes) {
      const name = unique()
      const answer = await as(creator, 'POST', '/feed/topics', { name, logo })
      assert.equal(answer.status, 422)
      assert.deepEqual(Object.keys(answer.body.errors), ['logo'])
      assert.equal((await as(creator, 'POST', '/feed/topics', { name })).status, 201, 'nothing was made')
    }
  })

  test('returns 401 when a guest creates a topic', async () => {
    assert.equal((await guest('POST', '/feed/topics', { name: unique() })).status, 401)
  })

  test('rejects a name that is missing, too long, not text or invisible', async () => {
    const creator = await person()
    for (const body of [
      {},
      { name: null },
      { name: '   ' },
      { name: '\u200b\u2060' },
      { name: '长'.repeat(101) },
      { name: 7 },
      { name: ['a'] },
      { name: 'a\0b' },
    ]) {
      const answer = await as(creator, 'POST', '/feed/topics', body)
      assert.equal(answer.status, 422, JSON.stringify(body))
      assert.deepEqual(Object.keys(answer.body.errors), ['name'])
    }
    const chinese = await as(creator, 'POST', '/feed/topics', {}, { 'accept-language': 'zh-CN' })
    assert.equal(chinese.body.errors.name[0], '名称不能为空。')
  })

  test('limits name and description by characters, not bytes', async () => {
    const creator = await person()
    const name = '😀'.repeat(100)
    const id = await createTopic(creator, { name, desc: '说'.repeat(500) })
    assert.equal((await detail(id)).name, name)
    const answer = await as(creator, 'POST', '/feed/topics', { name: unique(), desc: '说'.repeat(501) })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['desc']])
    // Each character of this name expands to 18 in the unique key.
    await createTopic(creator, { name: 'ﷺ'.repeat(100) })
  })

  test('rejects an existing name regardless of case, width and surrounding spaces (topics-4)', async () => {
    const creator = await person()
    const name = unique('Ångström Straße')
    await createTopic(creator, { name })
    for (const twin of [name, name.toUpperCase(), ` ${name} `, name.replace('Å', 'Ａ\u030a')]) {
      const answer = await as(await person(), 'POST', '/feed/topics', { name: twin })
      assert.equal(answer.status, 422, twin)
      assert.deepEqual(answer.body, { message: 'A topic with this name already exists.' })
      assert.equal(codeOf(answer), 'topic_name_taken')
    }
    const chinese = await as(creator, 'POST', '/feed/topics', { name }, { 'accept-language': 'zh' })
    assert.deepEqual(chinese.body, { message: '该名称的话题已存在。' })
  })

  test('creates one topic when requests race for a name', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => person()))
    const name = unique('Raced')
    const answers = await Promise.all(people.map((each) => as(each, 'POST', '/feed/topics', { name })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(422)])
    await assertNoDrift()
  })

  test('creates a waiting topic when review is on (topics-5)', async () => {
    const creator = await person()
    const id = await withReview(() => createTopic(creator))
    assert.equal((await guest('GET', `/feed/topics/${id}`)).status, 404)
    assert.equal((await as(creator, 'GET', `/feed/topics/${id}`)).status, 200)
    const listed = await as(creator, 'GET', '/feed/topics?limit=100')
    assert.equal(
      listed.body.some((topic: { id: number }) => topic.id === id),
      false,
    )
  })
})

describe('unapproved topics', () => {
  test('hides an unapproved topic from all but its creator and reviewers (topics-6)', async () => {
    const creator = await person()
    const stranger = await person()
    for (const status of ['waiting', 'failed']) {
      const id = await createTopic(creator)
      await setStatus(id, status)
      const calls = [
        ['GET', `/feed/topics/${id}`, undefined, 200],
        ['GET', `/feed/topics/${id}/participants`, undefined, 200],
        ['PUT', `/user/feed-topics/${id}`, undefined, 204],
        ['DELETE', `/user/feed-topics/${id}`, undefined, 204],
      ] as const
      for (const [method, url, body, expected] of calls) {
        for (const eyes of [stranger, editor]) {
          const hidden = await as(eyes, method, url, body)
          assert.deepEqual([hidden.status, codeOf(hidden)], [404, 'no_such_topic'], `${method} ${url}`)
        }
        for (const eyes of [creator, reviewer])
          assert.equal((await as(eyes, method, url, body)).status, expected, `${method} ${url}`)
      }
      const change = (eyes: Person) => as(eyes, 'PATCH', `/feed/topics/${id}`, { desc: 'new' })
      assert.equal((await change(stranger)).status, 404)
      assert.equal((await change(editor)).status, 404)
      assert.equal((await change(reviewer)).status, 403, 'reviewers decide, they do not edit')
      assert.equal((await change(creator)).status, 204)
      assert.equal((await guest('GET', `/feed/topics/${id}`)).status, 404)
      assert.equal((await guest('GET', `/feed/topics/${id}/participants`)).status, 404)
      await assert.rejects(post(stranger.id, id), { status: 422 })
      await post(creator.id, id)
    }
    await assertNoDrift()
  })

  test('returns 404 for an unapproved topic before it validates the input', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    await setStatus(id, 'waiting')
    assert.equal((await guest('GET', `/feed/topics/${id}/participants?limit=0`)).status, 404)
    const stranger = await person()
    assert.equal((await as(stranger, 'PATCH', `/feed/topics/${id}`, { desc: 5 })).status, 404)
  })
})

describe('topic ids in the path', () => {
  test('returns 404 when the id is unknown or malformed', async () => {
    const somebody = await person()
    for (const id of ['999999999', '0', '-1', 'x', '1.5', '9007199254740993', '1%00']) {
      for (const [method, url] of [
        ['GET', `/feed/topics/${id}`],
        ['GET', `/feed/topics/${id}/participants`],
        ['PATCH', `/feed/topics/${id}`],
        ['PUT', `/user/feed-topics/${id}`],
        ['DELETE', `/user/feed-topics/${id}`],
      ] as const) {
        const answer = await as(somebody, method, url)
        assert.equal(answer.status, 404, `${method} ${url}`)
        assert.equal(typeof answer.body.message, 'string')
      }
    }
    const chinese = await as(somebody, 'GET', '/feed/topics/999999999', undefined, {
      'accept-language': 'zh',
    })
    assert.deepEqual(chinese.body, { message: '话题不存在。' })
  })

  test('returns 401 before 404 when a token is required', async () => {
    assert.equal((await guest('PUT', '/user/feed-topics/999999999')).status, 401)
    assert.equal((await guest('DELETE', '/user/feed-topics/999999999')).status, 401)
    assert.equal((await guest('PATCH', '/feed/topics/999999999', {})).status, 401)
  })
})

describe('topic changes', () => {
  test('keeps omitted fields of a topic', async () => {
    const creator = await person()
    const id = await createTopic(creator, { desc: 'before' })
    const node = await storePicture(world, creator)
    const change = async (body: object) => {
      const answer = await as(creator, 'PATCH', `/feed/topics/${id}`, body)
      assert.deepEqual([answer.status, answer.body], [204, null])
      return detail(id)
    }
    assert.equal((await change({ logo: node })).desc, 'before')
    const described = await change({ desc: 'after' })
    assert.equal(described.desc, 'after')
    assert.equal(described.logo.mime, 'image/png')
    assert.equal((await change({ desc: null })).desc, '')
    const bare = await change({ logo: null })
    assert.deepEqual([bare.logo, bare.desc], [null, ''])
    assert.equal((await change({ desc: 'again' })).desc, 'again')
    assert.equal((await change({ desc: '' })).desc, '')
    assert.equal((await change({})).desc, '')
  })

  test('ignores a name in the body or the query (topics-9)', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    const { name } = await detail(id)
    assert.equal((await as(creator, 'PATCH', `/feed/topics/${id}?desc=queried&name=Other`)).status, 204)
    assert.equal((await as(creator, 'PATCH', `/feed/topics/${id}`, { name: 'Other' })).status, 204)
    const topic = await detail(id)
    assert.deepEqual([topic.name, topic.desc], [name, 'queried'])
  })

  test('rejects a change by a user who neither created the topic nor may update topics (topics-9)', async () => {
    const id = await createTopic(await person())
    const stranger = await person()
    for (const body of [{ desc: 'mine now' }, { desc: 'x'.repeat(501) }]) {
      const answer = await as(stranger, 'PATCH', `/feed/topics/${id}`, body)
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'forbidden'])
    }
    assert.equal((await as(editor, 'PATCH', `/feed/topics/${id}`, { desc: 'edited' })).status, 204)
    assert.equal((await detail(id)).desc, 'edited')
  })

  test('rejects an invalid description or logo', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    const foreign = await storePicture(world, await person())
    for (const [field, value] of [
      ['desc', 'x'.repeat(501)],
      ['desc', 5],
      ['logo', foreign],
      ['logo', 'nonsense'],
      ['logo', {}],
    ] as const) {
      const answer = await as(creator, 'PATCH', `/feed/topics/${id}`, { [field]: value })
      assert.equal(answer.status, 422)
      assert.deepEqual(Object.keys(answer.body.errors), [field])
    }
  })
})
