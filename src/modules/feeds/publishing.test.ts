import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { feedCountersOf } from '#test/fixtures/feed-counters.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { newPicture, upload, uploadFilm, uploadPicture } from '#test/fixtures/uploads.ts'
import { type Answer, createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world

const { nextMark: mark, send: post, publish, read } = feedsOf(world)
const { feedsCount, createTopic, topicCount, assertNoDrift } = feedCountersOf(world, mark)
const refused = (answer: Answer, field: string) => {
  assert.equal(answer.status, 422, JSON.stringify(answer.body))
  assert.deepEqual(Object.keys(answer.body.errors ?? {}), [field])
}

describe('feed publication', () => {
  test('creates one feed per mark when requests of one author race', async () => {
    const alice = await person()
    const marks = [1, 2, 3, 3, 4, 4, 4, 5].map((n) => n + 1000 * mark())
    const same = marks.map((_, n) => marks[[0, 1, 2, 2, 4, 4, 4, 7][n]!]!)
    const answers = await Promise.all(
      same.map((feed_mark) => post(alice, { feed_content: `racing ${feed_mark}`, feed_mark })),
    )
    assert.ok(answers.every(({ status }) => status === 201))
    const ids = new Map(answers.map(({ body }, n) => [same[n]!, body.id]))
    answers.forEach(({ body }, n) => {
      assert.equal(body.id, ids.get(same[n]!))
    })
    assert.equal(new Set(ids.values()).size, 5)
    assert.equal(await feedsCount(alice), 5)
    for (const [feed_mark, id] of ids) {
      assert.equal((await read(id)).feed_content, `racing ${feed_mark}`)
      const found = (
        await guest('GET', `/feeds?type=new&search=${encodeURIComponent(`racing ${feed_mark}`)}`)
      ).body
      assert.ok(found.feeds.some((feed: { id: number }) => feed.id === id))
    }
    await assertNoDrift()
  })

  test('creates a feed for each author when authors post the same `feed_mark` at once', async () => {
    const authors = await Promise.all(Array.from({ length: 5 }, () => person()))
    const marks = [mark(), mark(), mark()]
    const answers = await Promise.all(
      authors.flatMap((who) =>
        marks.map((feed_mark) => post(who, { feed_content: `of ${who.id}`, feed_mark })),
      ),
    )
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 15)
    for (const [n, { body }] of answers.entries()) {
      const author = authors[Math.floor(n / marks.length)]!
      const { user_id, feed_content } = await read(body.id)
      assert.deepEqual([user_id, feed_content], [author.id, `of ${author.id}`])
    }
    for (const each of authors) assert.equal(await feedsCount(each), 3)
    await assertNoDrift()
  })

  test('returns a mark as a number only when the conversion is lossless', async () => {
    const alice = await person()
    for (const [feed_mark, shown] of [
      ['1078', 1078],
      ['9007199254740991', 9007199254740991],
      ['9007199254740993', '9007199254740993'],
      ['0078', '0078'],
      ['1e3', '1e3'],
    ] as const) {
      const { status, body } = await post(alice, { feed_content: `marked ${feed_mark}`, feed_mark })
      assert.equal(status, 201, feed_mark)
      assert.equal((await read(body.id)).feed_mark, shown)
    }
  })

  test('publishes and counts a feed immediately', async () => {
    const alice = await person()
    const answer = await post(alice, { feed_content: '  Hello world  ', feed_mark: 77 })
    assert.equal(answer.status, 201)
    assert.equal(answer.body.message, 'Published.')
    const feed = await read(answer.body.id)
    assert.equal(feed.feed_content, 'Hello world')
    assert.equal(feed.user_id, alice.id)
    assert.equal(feed.user.name, alice.name)
    assert.equal(feed.feed_mark, 77)
    assert.equal(feed.audit_status, 1)
    assert.equal(feed.paid_node, null)
    assert.equal(feed.video, null)
    assert.deepEqual([feed.images, feed.topics, feed.comments, feed.likes], [[], [], [], []])
    assert.match(feed.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal(await feedsCount(alice), 1)
  })

  test('rejects guests and users without the ability to publish (feeds-8)', async () => {
    assert.equal((await guest('POST', '/feeds', {})).status, 401)
    assert.equal((await post(await person({ roles: ['disabler'] }))).status, 403)
  })

  test('requires text unless a picture is attached, and limits it to 10,000 characters (feeds-8)', async () => {
    const alice = await person()
    refused(await as(alice, 'POST', '/feeds', { feed_from: 1, feed_mark: mark() }), 'feed_content')
    refused(await post(alice, { feed_content: '   ' }), 'feed_content')
    refused(await post(alice, { feed_content: 'x'.repeat(10_001) }), 'feed_content')
    const id = await publish(alice, {
      feed_content: null,
      images: [{ id: await uploadPicture(world, alice) }],
    })
    assert.equal((await read(id)).feed_content, null)
    assert.equal(
      (await read(await publish(alice, { feed_content: '界'.repeat(10_000) }))).feed_content.length,
      10_000,
    )
  })

  test('requires feed_from and feed_mark within their bounds', async () => {
    const alice = await person()
    refused(await post(alice, { feed_from: null }), 'feed_from')
    refused(await post(alice, { feed_from: 6 }), 'feed_from')
    refused(await post(alice, { feed_mark: null }), 'feed_mark')
    refused(await post(alice, { feed_mark: '' }), 'feed_mark')
    refused(await post(alice, { feed_mark: 2 ** 53 }), 'feed_mark')
    refused(await post(alice, { feed_mark: -1 }), 'feed_mark')
    refused(await post(alice, { feed_mark: 'x'.repeat(65) }), 'feed_mark')
    refused(await post(alice, { feed_mark: 'nul\0' }), 'feed_mark')
    assert.equal((await read(await publish(alice, { feed_mark: 'my mark' }))).feed_mark, 'my mark')
  })

  test("returns an author's existing feed for a repeated mark (feeds-9)", async () => {
    const alice = await person()
    const images = [{ id: await uploadPicture(world, alice) }]
    const id = await publish(alice, { feed_mark: 5, images })
    assert.equal(await publish(alice, { feed_mark: 5, images }), id)
    assert.equal(await publish(alice, { feed_mark: '5', images, feed_from: 2 }), id)
    assert.equal(await feedsCount(alice), 1)
    assert.notEqual(await publish(await person(), { feed_mark: 5 }), id)
    assert.equal((await as(alice, 'DELETE', `/feeds/${id}`)).status, 204)
    assert.equal(await publish(alice, { feed_mark: 5 }), id)
    assert.equal(await feedsCount(alice), 0)
  })

  test('rejects a repeated mark with other content (feeds-9)', async () => {
    const alice = await person()
    const bytes = await newPicture()
    const picture = async () => ({ id: await upload(world, alice, bytes) })
    const topics = [await createTopic(alice)]
    const first = { feed_mark: 'a', feed_content: 'Low water', images: [await picture()], topics }
    const id = await publish(alice, first)
    const film = { video_id: await uploadFilm(world, alice), cover_id: await uploadPicture(world, alice) }
    const seen = await publish(alice, { feed_mark: 'film', video: film })
    const reused = async (body: object) => {
      const answer = await post(alice, body)
      assert.equal(answer.headers['x-error-code'], 'feed_mark_reused', JSON.stringify(body))
      refused(answer, 'feed_mark')
    }
    await reused({ ...first, feed_content: 'High water' })
    await reused({ ...first, feed_content: null })
    await reused({ ...first, images: [{ id: await uploadPicture(world, alice) }] })
    await reused({ ...first, images: [...first.images, await picture()] })
    await reused({ ...first, images: [] })
    await reused({ ...first, images: [], video: film })
    await reused({ ...first, topics: [] })
    await reused({ ...first, topics: [...topics, await createTopic(alice)] })
    await reused({ ...first, repostable_type: 'feeds', repostable_id: seen })
    await reused({ feed_mark: 'film', video: { ...film, video_id: 999_999 } })
    assert.equal(await feedsCount(alice), 2)
    // A client that lost the reply uploads its pictures again.
    assert.equal(await publish(alice, { ...first, images: [await picture()] }), id)
    assert.equal(await publish(alice, { feed_mark: 'film', video: film }), seen)
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((feed_content) => post(alice, { feed_content, feed_mark: 'race' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
    await assertNoDrift()
  })

  test('creates one feed from concurrent retries of a request', async () => {
    const alice = await person()
    const topics = [await createTopic(alice)]
    const images = [{ id: await uploadPicture(world, alice) }]
    for (const body of [{ feed_mark: 'a' }, { feed_mark: 'b', topics }, { feed_mark: 'c', topics, images }]) {
      const ids = await Promise.all(Array.from({ length: 6 }, () => publish(alice, body)))
      assert.equal(new Set(ids).size, 1)
    }
    assert.equal(await feedsCount(alice), 3)
    assert.equal(await topicCount(topics[0]!), 2)
    await assertNoDrift()
  })

  test('requires a complete location with valid coordinates', async () => {
    const alice = await person()
    const place = { feed_latitude: 39.9042, feed_longtitude: '116.4074', feed_geohash: 'wx4g0b' }
    const feed = await read(await publish(alice, place))
    assert.deepEqual(
      [feed.feed_latitude, feed.feed_longtitude, feed.feed_geohash],
      ['39.9042', '116.4074', 'wx4g0b'],
    )
    refused(await post(alice, { feed_latitude: 1 }), 'feed_geohash')
    refused(await post(alice, { ...place, feed_geohash: null }), 'feed_geohash')
    refused(await post(alice, { ...place, feed_latitude: 91 }), 'feed_latitude')
    refused(await post(alice, { ...place, feed_longtitude: -181 }), 'feed_longtitude')
    refused(await post(alice, { ...place, feed_geohash: 'no!' }), 'feed_geohash')
  })
})

describe('pictures and videos of feeds', () => {
  test('returns pictures in the order of the request with their sizes', async () => {
    const alice = await person()
    const first = await uploadPicture(world, alice, 30, 20)
    const second = await uploadPicture(world, alice, 10, 40)
    const feed = await read(await publish(alice, { images: [{ id: second }, { id: String(first) }] }))
    assert.deepEqual(feed.images, [
      { file: second, size: '10x40', mime: 'image/png' },
      { file: first, size: '30x20', mime: 'image/png' },
    ])
  })

  test('publishes nothing when an upload cannot be attached', async () => {
    const [alice, bob] = [await person(), await person()]
    const used = await uploadPicture(world, alice)
    await publish(alice, { images: [{ id: used }] })
    const fresh = await uploadPicture(world, alice)
    refused(await post(alice, { images: [{ id: used }] }), 'images')
    refused(await post(alice, { images: [{ id: 999_999_999 }] }), 'images')
    refused(await post(bob, { images: [{ id: fresh }] }), 'images')
    refused(await post(alice, { images: [{ id: fresh }, { id: fresh }] }), 'images')
    refused(await post(alice, { images: [{ id: await uploadFilm(world, alice) }] }), 'images')
    refused(await post(alice, { images: [{}] }), 'images.0.id')
    refused(await post(alice, { images: Array.from({ length: 21 }, (_, i) => ({ id: i + 1 })) }), 'images')
    assert.equal(await feedsCount(alice), 1)
    assert.equal(await feedsCount(bob), 0)
    assert.equal((await post(alice, { images: [{ id: fresh }] })).status, 201)
  })

  test('requires both a film and a cover for the video of a feed', async () => {
    const alice = await person()
    const video = { video_id: await uploadFilm(world, alice), cover_id: await uploadPicture(world, alice) }
    refused(await post(alice, { video: { video_id: video.video_id } }), 'video.cover_id')
    refused(await post(alice, { video: { ...video, video_id: video.cover_id } }), 'video.video_id')
    refused(await post(alice, { video: { ...video, cover_id: video.video_id } }), 'video.cover_id')
    const feed = await read(await publish(alice, { feed_content: null, video }))
    assert.equal(feed.video.video_id, video.video_id)
    assert.equal(feed.video.cover_id, video.cover_id)
    assert.ok('width' in feed.video && 'height' in feed.video)
  })
})

describe('topics of a new feed', () => {
  test('accepts topics as ids, a comma-separated list or objects', async () => {
    const alice = await person()
    const [one, two] = [await createTopic(alice), await createTopic(alice)]
    for (const topics of [[one, two], `${one},${two}`, [{ id: one }, { id: String(two) }]]) {
      const feed = await read(await publish(alice, { topics }))
      assert.deepEqual(
        feed.topics.map(({ id }: { id: number }) => id),
        [one, two],
      )
    }
    assert.equal(await topicCount(one), 3)
    const repeated = await read(await publish(alice, { topics: [one, one] }))
    assert.equal(repeated.topics.length, 1)
    assert.equal(await topicCount(one), 4)
  })

  test('rejects unknown, hidden or too many topics (topics-14)', async () => {
    const [alice, bob] = [await person(), await person()]
    const waiting = await createTopic(alice, 'waiting')
    const known = await createTopic(alice)
    refused(await post(bob, { topics: [known, 999_999_999] }), 'topics')
    refused(await post(bob, { topics: [waiting] }), 'topics')
    refused(await post(bob, { topics: [1, 2, 3, 4, 5, 6] }), 'topics')
    assert.equal((await post(bob, { topics: ['x'] })).status, 422)
    assert.equal(await topicCount(known), 0)
    assert.equal(await feedsCount(bob), 0)
    const own = await publish(alice, { topics: [waiting] })
    assert.equal((await as(alice, 'GET', `/feeds/${own}`)).body.topics.length, 1)
    assert.deepEqual((await read(own)).topics, [])
  })

  test('counts each feed once when concurrent feeds have the same topics', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => person()))
    const topics = [await createTopic(people[0]!), await createTopic(people[0]!)]
    await Promise.all(
      people.flatMap((who) => [publish(who, { topics }), publish(who, { topics: topics.toReversed() })]),
    )
    assert.equal(await topicCount(topics[0]!), 10)
    await assertNoDrift()
  })
})

describe('reposts and mentions in feeds', () => {
  test('requires an existing feed for a repost (feeds-8)', async () => {
    const alice = await person()
    const original = await publish(alice)
    const repost = (id: unknown, type: unknown = 'feeds') =>
      post(alice, { repostable_type: type, repostable_id: id })
    const answer = await repost(original)
    const feed = await read(answer.body.id)
    assert.deepEqual([feed.repostable_type, feed.repostable_id], ['feeds', original])
    refused(await repost(999_999_999), 'repostable_id')
    refused(await repost(original, 'musics'), 'repostable_type')
    refused(await repost(undefined), 'repostable_id')
    refused(await repost(original, null), 'repostable_id')
    await as(alice, 'DELETE', `/feeds/${original}`)
    refused(await repost(original), 'repostable_id')
  })

  test('deletes notifications of mentioned users when the feed is deleted', async () => {
    const [alice, bob] = [await person(), await person()]
    const names = [bob, alice].map(({ name }) => `\u00AD@${name.toUpperCase()}\u00AD`).join(' ')
    const id = await publish(alice, { feed_content: `Hi ${names} \u00AD@nobody at all\u00AD` })
    const told = () => sql<{ user_id: number; data: { resource: object } }[]>`
      select user_id, data from notifications where type = 'at' and sender_id = ${alice.id}`
    const notifications = await told()
    assert.deepEqual(
      notifications.map(({ user_id }) => user_id),
      [bob.id],
    )
    assert.deepEqual(notifications[0]!.data.resource, { type: 'feeds', id })
    await as(alice, 'DELETE', `/feeds/${id}`)
    assert.deepEqual([...(await told())], [])
  })

  test('publishes nothing when a mentioned user blocks the author', async () => {
    const [alice, bob, carol] = [await person(), await person(), await person()]
    await as(carol, 'POST', `/user/black/${alice.id}`)
    const names = [bob, carol].map(({ name }) => `\u00AD@${name}\u00AD`).join(' ')
    const answer = await post(alice, { feed_content: `Hi ${names}` })
    assert.equal(answer.status, 403)
    assert.equal(answer.headers['x-error-code'], 'blocked')
    assert.equal(await feedsCount(alice), 0)
    const told = await sql`select from notifications where sender_id = ${alice.id} and type = 'at'`
    assert.equal(told.length, 0)
    assert.equal((await post(carol, { feed_content: `\u00AD@${alice.name}\u00AD` })).status, 201)
  })
})
