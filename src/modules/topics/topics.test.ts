import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { forgetSettings, updateSettings } from '#modules/settings/index.ts'
import { linkTopics, topicCounters, unlinkTopics } from '#modules/topics/index.ts'
import { transaction } from '#platform/database.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world

let counter = 0
const unique = (name = 'Topic') => {
  counter += 1
  return `${name} ${counter}`
}

async function createTopic(creator: Person, body: object = {}): Promise<number> {
  const answer = await as(creator, 'POST', '/feed/topics', { name: unique(), ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

const setStatus = (id: number, status: string) =>
  sql`update feed_topics set status = ${status} where id = ${id}`

async function withReview<T>(work: () => Promise<T>): Promise<T> {
  const set = async (on: boolean) => {
    await updateSettings(ctx, sql, { 'feed:topic:need-review': on })
    forgetSettings(ctx)
  }
  await set(true)
  try {
    return await work()
  } finally {
    await set(false)
  }
}

const reviewer = await person()
await sql`
  with role as (insert into roles (name) values ('reviewer') returning id),
  given as (insert into role_abilities (role_id, ability) select id, 'admin: feed topics' from role)
  insert into user_roles (user_id, role_id) select ${reviewer.id}, id from role`
const editor = await person()
await sql`
  with role as (insert into roles (name) values ('editor') returning id),
  given as (insert into role_abilities (role_id, ability) select id, 'admin: update feed topic' from role)
  insert into user_roles (user_id, role_id) select ${editor.id}, id from role`

const post = (userId: number, ...topicIds: number[]) =>
  transaction(sql, (tx) => linkTopics(tx, { topicIds, userId }))
const unpost = (userId: number, ...topicIds: number[]) =>
  transaction(sql, (tx) => unlinkTopics(tx, { topicIds, userId }))
const detail = async (id: number) => (await guest('GET', `/feed/topics/${id}`)).body
const assertNoDrift = async () => {
  for (const check of topicCounters) assert.deepEqual(await check.find(sql), [], check.name)
}
const codeOf = (answer: { headers: Record<string, unknown> }) => answer.headers['x-error-code']

describe('creating a topic', () => {
  test('answers its id, and the creator follows it', async () => {
    const creator = await person()
    const name = unique()
    const made = await as(creator, 'POST', '/feed/topics', { name: `  ${name} `, desc: 'About it' })
    assert.equal(made.status, 201)
    assert.deepEqual(Object.keys(made.body), ['id'])
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

  test('takes null and nothing for description and logo', async () => {
    const creator = await person()
    for (const body of [{ desc: null, logo: null }, { desc: '', logo: '' }, {}]) {
      const topic = await detail(await createTopic(creator, body))
      assert.deepEqual([topic.desc, topic.logo], ['', null])
    }
  })

  test('shows a stored picture of the creator as its logo', async () => {
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

  test('refuses a logo that is unknown, not uploaded yet or of somebody else', async () => {
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

  test('needs a token', async () => {
    assert.equal((await guest('POST', '/feed/topics', { name: unique() })).status, 401)
  })

  test('refuses a name that is missing, too long, no text or shows nothing', async () => {
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
    assert.equal(chinese.body.errors.name[0], 'name 不能为空。')
  })

  test('counts characters, not bytes: 100 of the name and 500 of the description are taken', async () => {
    const creator = await person()
    const name = '😀'.repeat(100)
    const id = await createTopic(creator, { name, desc: '说'.repeat(500) })
    assert.equal((await detail(id)).name, name)
    const answer = await as(creator, 'POST', '/feed/topics', { name: unique(), desc: '说'.repeat(501) })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['desc']])
    // Each of these becomes 18 characters in the key that has to be unique.
    await createTopic(creator, { name: 'ﷺ'.repeat(100) })
  })

  test('refuses a name that exists, ignoring case, width and surrounding space, in body shape 1', async () => {
    const creator = await person()
    const name = unique('Ångström Straße')
    await createTopic(creator, { name })
    for (const twin of [name, name.toUpperCase(), ` ${name} `, name.replace('Å', 'Ａ\u030a')]) {
      const answer = await as(await person(), 'POST', '/feed/topics', { name: twin })
      assert.equal(answer.status, 422, twin)
      assert.deepEqual(answer.body, { message: 'A topic of this name exists already.' })
      assert.equal(codeOf(answer), 'topic_name_taken')
    }
    const chinese = await as(creator, 'POST', '/feed/topics', { name }, { 'accept-language': 'zh' })
    assert.deepEqual(chinese.body, { message: '该名称的话题已存在。' })
  })

  test('racing for one name makes one topic', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => person()))
    const name = unique('Raced')
    const answers = await Promise.all(people.map((each) => as(each, 'POST', '/feed/topics', { name })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(422)])
    await assertNoDrift()
  })

  test('waits for a reviewer when the review switch is on', async () => {
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

describe('a topic that is not passed', () => {
  test('is 404 on every endpoint for all but its creator and reviewers', async () => {
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

  test('answers 404 before it looks at what is wrong with the input', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    await setStatus(id, 'waiting')
    assert.equal((await guest('GET', `/feed/topics/${id}/participants?limit=0`)).status, 404)
    const stranger = await person()
    assert.equal((await as(stranger, 'PATCH', `/feed/topics/${id}`, { desc: 5 })).status, 404)
  })
})

describe('a topic in the path', () => {
  test('is 404 when the id is unknown or no id', async () => {
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

  test('is 401 before 404 where a token is needed', async () => {
    assert.equal((await guest('PUT', '/user/feed-topics/999999999')).status, 401)
    assert.equal((await guest('DELETE', '/user/feed-topics/999999999')).status, 401)
    assert.equal((await guest('PATCH', '/feed/topics/999999999', {})).status, 401)
  })
})

describe('reading a topic', () => {
  test('tells has_followed only to who has a valid token', async () => {
    const id = await createTopic(await person())
    const reader = await person()
    assert.equal('has_followed' in (await detail(id)), false)
    const invalid = await guest('GET', `/feed/topics/${id}`, undefined, { authorization: 'Bearer nonsense' })
    assert.deepEqual([invalid.status, 'has_followed' in invalid.body], [200, false])
    assert.equal((await as(reader, 'GET', `/feed/topics/${id}`)).body.has_followed, false)
    await as(reader, 'PUT', `/user/feed-topics/${id}`)
    assert.equal((await as(reader, 'GET', `/feed/topics/${id}`)).body.has_followed, true)
    const byQuery = await guest('GET', `/feed/topics/${id}?token=${reader.token}`)
    assert.equal(byQuery.body.has_followed, true)
  })

  test('names the last three who posted, the creator included and mere followers not', async () => {
    const creator = await person()
    const people = await Promise.all(Array.from({ length: 4 }, () => person()))
    const id = await createTopic(creator)
    await as(people[3] as Person, 'PUT', `/user/feed-topics/${id}`)
    assert.deepEqual((await detail(id)).participants, [])
    const [first, second, third] = people as [Person, Person, Person]
    for (const { id: poster } of [creator, first, second, third]) await post(poster, id)
    assert.deepEqual((await detail(id)).participants, [third.id, second.id, first.id])
    await post(creator.id, id)
    const topic = await detail(id)
    assert.deepEqual(topic.participants, [creator.id, third.id, second.id])
    assert.equal(topic.feeds_count, 5)
    assert.equal(topic.followers_count, 2)
  })
})

describe('listing topics', () => {
  test('gives the four fields of the specification, newest first', async () => {
    const creator = await person()
    const ids = [await createTopic(creator), await createTopic(creator), await createTopic(creator)]
    const { status, body } = await guest('GET', '/feed/topics?limit=3')
    assert.equal(status, 200)
    assert.deepEqual(
      body.map((topic: { id: number }) => topic.id),
      [...ids].reverse(),
    )
    assert.deepEqual(Object.keys(body[0]).sort(), ['created_at', 'id', 'logo', 'name'])
    assert.match(body[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal(body[0].logo, null)
  })

  test('pages strictly from the index in both directions, each topic once', async () => {
    const creator = await person()
    const name = unique('Paged')
    const ids: number[] = []
    for (let n = 0; n < 7; n += 1) ids.push(await createTopic(creator, { name: `${name} ${n}` }))
    for (const direction of ['asc', 'desc']) {
      const seen: number[] = []
      for (let index = 0; ; ) {
        const url = `/feed/topics?q=${encodeURIComponent(name)}&limit=3&direction=${direction}&index=${index}`
        const { body } = await guest('GET', url)
        seen.push(...body.map((topic: { id: number }) => topic.id))
        if (body.length < 3) break
        index = body.at(-1).id
      }
      assert.deepEqual(seen, direction === 'asc' ? ids : [...ids].reverse())
    }
  })

  test('gives 15 when no limit is said', async () => {
    const creator = await person()
    for (let n = 0; n < 16; n += 1) await createTopic(creator)
    assert.equal((await guest('GET', '/feed/topics')).body.length, 15)
  })

  test('refuses what is out of range, with only=hot too', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=x',
      'index=-1',
      'index=x',
      'direction=up',
      'only=cold',
      'only=hot&limit=0',
      'only=hot&direction=up',
      `q=${'x'.repeat(1001)}`,
      'limit=1&limit=2',
    ]) {
      const { status, body } = await guest('GET', `/feed/topics?${query}`)
      assert.equal(status, 422, query)
      assert.deepEqual(Object.keys(body.errors), [query.split('&').at(-1)?.split('=')[0]])
    }
  })

  test('lists up to eight hot topics with only=hot and ignores everything else', async () => {
    const creator = await person()
    const ids: number[] = []
    for (let n = 0; n < 10; n += 1) ids.push(await createTopic(creator))
    const [unhot, waiting] = ids as [number, number]
    await sql`update feed_topics set hot_at = now() where id = any(${ids}) and id <> ${unhot}`
    const list = async (query: string): Promise<number[]> =>
      (await guest('GET', `/feed/topics?only=hot${query}`)).body.map((topic: { id: number }) => topic.id)
    const newest = ids.slice(2).reverse()
    assert.deepEqual(await list(''), newest)
    assert.deepEqual(await list('&limit=2&direction=asc&index=1&q=nothing'), newest)
    await setStatus(ids[9] as number, 'failed')
    assert.deepEqual(await list(''), [...newest.slice(1), waiting])
    await sql`update feed_topics set hot_at = null`
    assert.deepEqual(await list(''), [])
  })
})

describe('searching topics', () => {
  const find = async (q: string, more = ''): Promise<string[]> => {
    const { status, body } = await guest('GET', `/feed/topics?limit=100&q=${encodeURIComponent(q)}${more}`)
    assert.equal(status, 200, q)
    return body.map((topic: { name: string }) => topic.name).sort()
  }

  test('finds one, two and more characters anywhere in a name, in any script', async () => {
    const creator = await person()
    for (const name of ['深圳美食地图', '美丽的食物', 'Коты и котики', 'Quantum Cooking', 'ひらがな 😀🎉'])
      await createTopic(creator, { name })
    assert.deepEqual(await find('圳'), ['深圳美食地图'])
    assert.deepEqual(await find('美食'), ['深圳美食地图'])
    assert.deepEqual(await find('食'), ['深圳美食地图', '美丽的食物'])
    assert.deepEqual(await find('美食地图'), ['深圳美食地图'])
    assert.deepEqual(await find('КОТИК'), ['Коты и котики'])
    assert.deepEqual(await find('ntum coo'), ['Quantum Cooking'])
    assert.deepEqual(await find('ＱＵＡＮＴＵＭ'), ['Quantum Cooking'])
    assert.deepEqual(await find('uan'), ['Quantum Cooking'])
    assert.deepEqual(await find('qu'), ['Quantum Cooking'])
    assert.deepEqual(await find('らが'), ['ひらがな 😀🎉'])
    assert.deepEqual(await find('🎉'), ['ひらがな 😀🎉'])
    assert.deepEqual(await find('地图美食'), [])
    assert.deepEqual(await find('tumqu'), [])
  })

  test('takes wildcards and backslashes for what they are', async () => {
    const creator = await person()
    for (const name of ['100% wool', '1000 wool', 'snake_case', 'snakeXcase', 'back\\slash'])
      await createTopic(creator, { name })
    assert.deepEqual(await find('100%'), ['100% wool'])
    assert.deepEqual(await find('e_c'), ['snake_case'])
    assert.deepEqual(await find('%'), ['100% wool'])
    assert.deepEqual(await find('_'), ['snake_case'])
    assert.deepEqual(await find('\\'), ['back\\slash'])
    assert.deepEqual(await find('k\\s'), ['back\\slash'])
    assert.deepEqual(await find("' or true --"), [])
  })

  test('takes an empty word, or one that shows nothing, for none', async () => {
    const all = (await guest('GET', '/feed/topics')).body
    for (const q of ['', '%20', '%E2%80%8B'])
      assert.deepEqual((await guest('GET', `/feed/topics?q=${q}`)).body, all)
  })

  test('finds passed topics only', async () => {
    const id = await createTopic(await person(), { name: 'Hidden gem' })
    assert.deepEqual(await find('hidden gem'), ['Hidden gem'])
    await setStatus(id, 'failed')
    assert.deepEqual(await find('hidden gem'), [])
  })
})

describe('changing a topic', () => {
  test('sets and clears the description and the logo, and leaves what is not given', async () => {
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

  test('takes parameters from the query too, and ignores a name', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    const { name } = await detail(id)
    assert.equal((await as(creator, 'PATCH', `/feed/topics/${id}?desc=queried&name=Other`)).status, 204)
    assert.equal((await as(creator, 'PATCH', `/feed/topics/${id}`, { name: 'Other' })).status, 204)
    const topic = await detail(id)
    assert.deepEqual([topic.name, topic.desc], [name, 'queried'])
  })

  test('is for its creator and holders of the ability', async () => {
    const id = await createTopic(await person())
    const stranger = await person()
    for (const body of [{ desc: 'mine now' }, { desc: 'x'.repeat(501) }]) {
      const answer = await as(stranger, 'PATCH', `/feed/topics/${id}`, body)
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'forbidden'])
    }
    assert.equal((await as(editor, 'PATCH', `/feed/topics/${id}`, { desc: 'edited' })).status, 204)
    assert.equal((await detail(id)).desc, 'edited')
  })

  test('refuses a long description and a logo that is not mine', async () => {
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

describe('following a topic', () => {
  test('twice counts once, and unfollowing takes it back', async () => {
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

  test('takes a bodyless PUT with a JSON content type and Content-Length 0', async () => {
    const id = await createTopic(await person())
    const headers = { 'content-type': 'application/json', 'content-length': '0' }
    const answer = await as(await person(), 'PUT', `/user/feed-topics/${id}`, undefined, headers)
    assert.equal(answer.status, 204)
  })

  test('works for somebody who posted, and unfollowing keeps what they posted', async () => {
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

  test('the creator may stop, and the count does not go below zero', async () => {
    const creator = await person()
    const id = await createTopic(creator)
    for (let n = 0; n < 3; n += 1)
      assert.equal((await as(creator, 'DELETE', `/user/feed-topics/${id}`)).status, 204)
    assert.equal((await detail(id)).followers_count, 0)
  })

  test('racing follows and unfollows count once per person', async () => {
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

describe('participants', () => {
  test('are listed by their last post, with limit and offset', async () => {
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

  test('are refused when the page is out of range', async () => {
    const id = await createTopic(await person())
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'offset=x', 'offset=1.5']) {
      const answer = await guest('GET', `/feed/topics/${id}/participants?${query}`)
      assert.equal(answer.status, 422, query)
      assert.deepEqual(Object.keys(answer.body.errors), [query.split('=')[0]])
    }
  })

  test('leave the list with their last feed, and only then', async () => {
    const [creator, poster] = [await person(), await person()]
    const id = await createTopic(creator)
    await post(poster.id, id)
    await post(poster.id, id)
    await unpost(poster.id, id)
    assert.deepEqual((await detail(id)).participants, [poster.id])
    await unpost(poster.id, id)
    const topic = await detail(id)
    assert.deepEqual([topic.participants, topic.feeds_count], [[], 0])
    await unpost(poster.id, id)
    assert.equal((await detail(id)).feeds_count, 0)
    await assertNoDrift()
  })
})

describe('posting into topics', () => {
  test('counts each topic once, and 422 on unknown ones counts nothing', async () => {
    const creator = await person()
    const [one, two] = [await createTopic(creator), await createTopic(creator)]
    await post(creator.id, one, two, one)
    assert.equal((await detail(one)).feeds_count, 1)
    await assert.rejects(post(creator.id, one, 999_999_999), { status: 422, code: 'unknown_topic' })
    assert.equal((await detail(one)).feeds_count, 1)
  })

  test('racing with follows, deletions and posts in any order keeps every count', async () => {
    const creator = await person()
    const topics = await Promise.all(Array.from({ length: 4 }, () => createTopic(creator)))
    const people = await Promise.all(Array.from({ length: 4 }, () => person()))
    // What is deleted below was posted here.
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

describe('reporting a topic', () => {
  const report = (somebody: Person, id: number, body: unknown, query = '') =>
    as(somebody, 'PUT', `/user/report-feed-topics/${id}${query}`, body)
  const listed = (id: number) =>
    sql<Record<string, unknown>[]>`
      select user_id, target_user, subject, reason, status from reports
      where reportable_type = 'feed-topics' and reportable_id = ${id} order by id`

  test('reaches those who handle reports, with its name and who made it', async () => {
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

  test('needs a message of at most 255 characters', async () => {
    const id = await createTopic(await person())
    const reporter = await person()
    for (const body of [undefined, {}, { message: ' ' }, { message: '长'.repeat(256) }, { message: 5 }]) {
      const answer = await report(reporter, id, body)
      assert.equal(answer.status, 422)
      assert.deepEqual(Object.keys(answer.body.errors), ['message'])
    }
    assert.equal((await report(reporter, id, { message: '长'.repeat(255) })).status, 204)
  })

  test('is 401 for a guest and 404 for a topic that is unknown or hidden', async () => {
    const id = await createTopic(await person())
    await setStatus(id, 'waiting')
    assert.equal((await guest('PUT', `/user/report-feed-topics/${id}`, { message: 'x' })).status, 401)
    for (const each of [id, 999_999_999])
      for (const body of [{ message: 'x' }, {}])
        assert.equal((await report(await person(), each, body)).status, 404)
  })
})

test('counters that drifted are found and mended', async () => {
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
