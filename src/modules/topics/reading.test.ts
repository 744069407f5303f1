import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { unique, createTopic, setStatus, post, detail, personWith } = topicsOf(world)

describe('single topics', () => {
  test('returns has_followed only with a valid token', async () => {
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

  test('returns has_followed of a waiting topic to its creator and reviewers (topics-6)', async () => {
    const [creator, reviewer] = [await person(), await personWith('admin: feed topics')]
    const id = await createTopic(creator)
    await setStatus(id, 'waiting')
    const followed = async (who: Person) =>
      (await as(who, 'GET', `/feed/topics/${id}`)).body.has_followed as boolean
    assert.deepEqual([await followed(creator), await followed(reviewer)], [true, false])
  })

  test('lists the last three participants without the creator (topics-3)', async () => {
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
    assert.deepEqual(topic.participants, [third.id, second.id, first.id])
    const all = (await guest('GET', `/feed/topics/${id}/participants`)).body
    assert.deepEqual(all, [creator.id, third.id, second.id, first.id])
    assert.equal(topic.feeds_count, 5)
    assert.equal(topic.followers_count, 2)
  })
})

describe('list of topics', () => {
  test('lists topics newest first (topics-1)', async () => {
    const creator = await person()
    const ids = [await createTopic(creator), await createTopic(creator), await createTopic(creator)]
    const { status, body } = await guest('GET', '/feed/topics?limit=3')
    assert.equal(status, 200)
    assert.deepEqual(
      body.map((topic: { id: number }) => topic.id),
      [...ids].reverse(),
    )
    const fields = [
      'created_at',
      'creator_user_id',
      'desc',
      'feeds_count',
      'followers_count',
      'id',
      'logo',
      'name',
    ]
    assert.deepEqual(Object.keys(body[0]).sort(), fields)
    const [own] = (await as(creator, 'GET', '/feed/topics?limit=1')).body
    assert.deepEqual([own.has_followed, own.followers_count, own.creator_user_id], [true, 1, creator.id])
    const [other] = (await as(await person(), 'GET', '/feed/topics?limit=1')).body
    assert.equal(other.has_followed, false)
    assert.match(body[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal(body[0].logo, null)
  })

  test('pages through topics by `index` in both directions', async () => {
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

  test('returns 15 topics by default', async () => {
    const creator = await person()
    for (let n = 0; n < 16; n += 1) await createTopic(creator)
    assert.equal((await guest('GET', '/feed/topics')).body.length, 15)
  })

  test('rejects invalid query parameters', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=x',
      'index=-1',
      'index=x',
      'direction=up',
      'only=cold',
      `q=${'x'.repeat(1001)}`,
      'limit=1&limit=0',
    ]) {
      const { status, body } = await guest('GET', `/feed/topics?${query}`)
      assert.equal(status, 422, query)
      assert.deepEqual(Object.keys(body.errors), [query.split('&').at(-1)?.split('=')[0]])
    }
  })

  test('lists up to eight hot topics with only=hot (topics-2)', async () => {
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
    for (const invalid of ['limit=0', 'direction=up', 'index=x', `q=${'x'.repeat(1001)}`, 'limit=1&limit=2'])
      assert.deepEqual(await list(`&${invalid}`), newest, invalid)
    await setStatus(ids[9] as number, 'failed')
    assert.deepEqual(await list(''), [...newest.slice(1), waiting])
    await sql`update feed_topics set hot_at = null`
    assert.deepEqual(await list(''), [])
  })
})

describe('topic search', () => {
  const find = async (q: string, more = ''): Promise<string[]> => {
    const { status, body } = await guest('GET', `/feed/topics?limit=100&q=${encodeURIComponent(q)}${more}`)
    assert.equal(status, 200, q)
    return body.map((topic: { name: string }) => topic.name).sort()
  }

  test('finds any substring of a name in any script (topics-1)', async () => {
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

  test('treats wildcards and backslashes as literal characters', async () => {
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

  test('ignores an empty or invisible search text', async () => {
    const all = (await guest('GET', '/feed/topics')).body
    for (const q of ['', '%20', '%E2%80%8B'])
      assert.deepEqual((await guest('GET', `/feed/topics?q=${q}`)).body, all)
  })

  test('returns only passed topics (topics-1)', async () => {
    const id = await createTopic(await person(), { name: 'Hidden gem' })
    assert.deepEqual(await find('hidden gem'), ['Hidden gem'])
    await setStatus(id, 'failed')
    assert.deepEqual(await find('hidden gem'), [])
  })
})
