import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { buildApp } from '#app'
import { openDatabase } from '#platform/database.ts'
import { createMetrics } from '#platform/metrics.ts'
import { pagesOf } from '#platform/pages/pages.ts'
import { createSignals } from '#platform/signals.ts'
import { createWorld, type Person } from '#test/world.ts'
import { feedViewCounts } from '../src/modules/feeds/views/queries.ts'

const statements: string[] = []
const world = await createWorld(
  { KEPT_PAGES_VERIFY: 'false', KEPT_PAGES_TIMED_MS: '60000' },
  { onQuery: ({ text }) => statements.push(text) },
)
const { as, guest, person, ctx, connection, sql } = world

/** How many statements a request takes. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = statements.length
  await work()
  return statements.length - before
}

const publish = async (who: Person, text = 'a feed'): Promise<number> => {
  const { status, body } = await as(who, 'POST', '/feeds', {
    feed_content: text,
    feed_from: 1,
    feed_mark: `${Math.random()}`,
  })
  assert.equal(status, 201)
  return body.id
}

describe('a page that was read before', { concurrency: false }, () => {
  test('is sent without asking the database, until one of its tables is written', async () => {
    const ann = await person()
    const id = await publish(ann)
    await guest('GET', '/feed/topics')
    await guest('GET', '/feeds')
    assert.equal(await cost(() => guest('GET', '/feeds')), 0)
    await as(ann, 'POST', `/feeds/${id}/comments`, { body: 'one more' })
    const { body } = await guest('GET', '/feeds')
    assert.equal(body.feeds[0].comments[0].body, 'one more')
    // Topics are written by neither.
    assert.equal(await cost(() => guest('GET', '/feed/topics')), 0)
  })

  test('takes one statement for a viewer, who gets their own flags in it', async () => {
    const [ann, bob, eve] = [await person(), await person(), await person()]
    const id = await publish(ann)
    await as(bob, 'POST', `/feeds/${id}/like`)
    await as(bob, 'PUT', `/user/followings/${ann.id}`)
    await as(eve, 'POST', `/feeds/${id}/collections`)
    const seen = async (who: Person) => {
      const { body } = await as(who, 'GET', '/feeds')
      const { has_like, has_collect, user } = body.feeds.find((feed: { id: number }) => feed.id === id)
      return [has_like, has_collect, user.follower, user.following]
    }
    assert.deepEqual(await seen(bob), [true, false, true, false])
    assert.deepEqual(await seen(eve), [false, true, false, false])
    assert.equal(await cost(() => seen(bob)), 1)
    await as(ann, 'PUT', `/user/followings/${bob.id}`)
    assert.deepEqual(await seen(bob), [true, false, true, true])
  })

  test('is another one for who blocks somebody', async () => {
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    const isSeen = async (who: Person) =>
      (await as(who, 'GET', '/feeds')).body.feeds.some((feed: { id: number }) => feed.id === id)
    assert.ok(await isSeen(bob))
    await as(bob, 'POST', `/user/black/${ann.id}`)
    assert.ok(!(await isSeen(bob)))
    await as(bob, 'DELETE', `/user/black/${ann.id}`)
    assert.ok(await isSeen(bob))
  })

  test('counts as a view each time that it is sent, and says so', async () => {
    const ann = await person()
    const id = await publish(ann)
    // No flush by the clock for the next seconds.
    await feedViewCounts(ctx).flush()
    const views = async () => (await guest('GET', `/feeds/${id}`)).body.feed_view_count
    assert.deepEqual([await views(), await views(), await views()], [1, 2, 3])
  })

  test('is not kept where a write came in between', async () => {
    const ann = await person()
    const ids = await Promise.all(Array.from({ length: 3 }, () => publish(ann)))
    for (let round = 0; round < 10; round += 1) {
      const text = `round ${round}`
      const [made] = await Promise.all([
        as(ann, 'POST', `/feeds/${ids[round % 3]}/comments`, { body: text }),
        ...Array.from({ length: 5 }, () => guest('GET', `/feeds?id=${ids.join()}`)),
      ])
      const { body } = await guest('GET', `/feeds?id=${ids.join()}`)
      const feed = body.feeds.find((each: { id: number }) => each.id === ids[round % 3])
      assert.equal(feed.comments[0].id, made.body.comment.id)
    }
  })
})

/** Content of every family, with what one of its rows shows, where guests see it, and how it is changed. */
async function makeFamilies() {
  const ann = await person()
  const one = async (query: Promise<{ id: number }[]>) => (await query)[0]!.id
  const feed = await publish(ann)
  const topic = await one(sql`
    with made as (
      insert into feed_topics (name, name_key, name_grams, creator_user_id, status)
      values ('t', 't', '{}', ${ann.id}, 'passed') returning id),
    counted as (insert into feed_topic_counts (topic_id) select id from made) select id from made`)
  const singer = await one(sql`
    insert into music_singers (name, name_key, name_grams) values ('s', 's', '{}') returning id`)
  const song = await one(sql`
    with made as (
      insert into music_songs (title, title_key, title_grams, singer_id, last_time) values ('s', 's', '{}', ${singer}, 1)
      returning id),
    counted as (insert into music_song_counts (song_id) select id from made) select id from made`)
  const question = await one(sql`
    insert into questions (user_id, subject, subject_key, subject_grams) values (${ann.id}, 'q?', 'q?', '{}') returning id`)
  const answer = await one(sql`
    insert into answers (question_id, user_id, body) values (${question}, ${ann.id}, 'a') returning id`)
  const category = await one(
    sql`insert into news_categories (name, name_key, rank) values ('n', 'n', 1) returning id`,
  )
  const news = await one(sql`
    with made as (
      insert into news (title, title_key, title_grams, subject, subject_given, content, user_id, category_id, audit_status, published_at)
      values ('n', 'n', '{}', 's', true, 'c', ${ann.id}, ${category}, 0, now()) returning id),
    counted as (insert into news_counts (news_id) select id from made) select id from made`)
  const group = await one(sql`
    with kind as (insert into group_categories (name, name_key) values ('g', 'g') returning id),
    made as (
      insert into groups (name, name_key, name_grams, user_id, category_id, mode, permissions, audit)
      select 'g', 'g', '{}', ${ann.id}, id, 'public', '{member,administrator,founder}', 1 from kind returning id),
    counted as (insert into group_counts (group_id, users_count) select id, 1 from made),
    member as (
      insert into group_members (group_id, user_id, audit, role) select id, ${ann.id}, 1, 'founder' from made)
    select id from made`)
  const tag = await one(sql`
    with kind as (insert into tag_categories (name, name_key) values ('k', 'k') returning id)
    insert into tags (name, name_key, tag_category_id) select 't', 't', id from kind returning id`)
  const word = (n: number) => `w${n}`
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  type See = (body: any) => unknown
  const families: [string, string, (n: number) => Promise<unknown>, See, ((n: number) => unknown)?][] = [
    [
      'feeds',
      '/feeds',
      (n) => sql`update feeds set feed_content = ${word(n)} where id = ${feed}`,
      (b) => b.feeds.find((f: { id: number }) => f.id === feed).feed_content,
    ],
    [
      'counters',
      `/feeds/${feed}`,
      (n) => sql`update feeds set like_count = ${n} where id = ${feed}`,
      (b) => b.like_count,
      (n) => n,
    ],
    [
      'people',
      `/users/${ann.id}`,
      (n) => sql`update users set bio = ${word(n)} where id = ${ann.id}`,
      (b) => b.bio,
    ],
    [
      'counters of people',
      `/users?id=${ann.id}`,
      (n) => sql`update user_counts set feeds_count = ${n} where user_id = ${ann.id}`,
      (b) => b[0].extra.feeds_count,
      (n) => n,
    ],
    [
      'topics',
      `/feed/topics/${topic}`,
      (n) => sql`update feed_topics set "desc" = ${word(n)} where id = ${topic}`,
      (b) => b.desc,
    ],
    [
      'songs',
      `/music/songs?id=${song}`,
      (n) => sql`update music_songs set title = ${word(n)} where id = ${song}`,
      (b) => b[0].title,
    ],
    [
      'news',
      `/news/${news}`,
      (n) => sql`update news set title = ${word(n)} where id = ${news}`,
      (b) => b.title,
    ],
    [
      'questions',
      `/questions/${question}`,
      (n) => sql`update questions set subject = ${word(n)} where id = ${question}`,
      (b) => b.subject,
    ],
    [
      'answers',
      `/questions/${question}/answers`,
      (n) => sql`update answers set body = ${word(n)} where id = ${answer}`,
      (b) => b[0].body,
    ],
    [
      'groups',
      `/groups/${group}`,
      (n) => sql`update groups set summary = ${word(n)} where id = ${group}`,
      (b) => b.summary,
    ],
    [
      'tags',
      '/tags',
      (n) => sql`update tags set name = ${word(n)} where id = ${tag}`,
      (b) =>
        b
          .flatMap((k: { tags: { id: number; name: string }[] }) => k.tags)
          .find((t: { id: number }) => t.id === tag).name,
    ],
    [
      'comments',
      `/feeds/${feed}/comments`,
      (n) => sql`
      insert into comments (commentable_type, commentable_id, user_id, target_user, body)
      values ('feeds', ${feed}, ${ann.id}, ${ann.id}, ${word(n)})`,
      (b) => b.comments[0].body,
    ],
    [
      'likes',
      `/feeds/${feed}/likes`,
      (n) => sql`
      insert into likes (likeable_type, likeable_id, user_id) values ('feeds', ${feed}, ${n + 1000})`,
      (b) => b[0].user_id,
      (n) => n + 1000,
    ],
  ]
  return families
}

test('readers that race a write see it as soon as it is answered, in every family of tables', async () => {
  for (const [name, url, write, see, expected = (n: number) => `w${n}`] of await makeFamilies())
    for (let round = 1; round <= 4; round += 1) {
      const reads = () => Promise.all(Array.from({ length: 4 }, () => guest('GET', url)))
      const reading = reads()
      await write(round)
      const after = await reads()
      await reading
      for (const answer of [...after, await guest('GET', url)]) {
        assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`)
        assert.deepEqual(see(answer.body), expected(round), name)
      }
    }
})

test('a process sees what another one wrote, soon', async () => {
  const own = openDatabase({ connection, poolSize: 4, statementTimeoutMs: 30_000 })
  const signals = createSignals(own)
  const node = { ...ctx, sql: own, signals, metrics: createMetrics(), onClose: [] }
  const app = await buildApp(node)
  await signals.listen()
  try {
    const ann = await person()
    const id = await publish(ann)
    const read = async () => (await app.inject(`/api/v2/feeds/${id}/comments`)).json().comments.length
    assert.equal(await read(), 0)
    const delays: number[] = []
    for (let round = 1; round <= 12; round += 1) {
      while (pagesOf(node).state().pages === 0) await read()
      await as(ann, 'POST', `/feeds/${id}/comments`, { body: `number ${round}` })
      const since = performance.now()
      while ((await read()) < round) await new Promise((resolve) => setTimeout(resolve, 1))
      delays.push(performance.now() - since)
    }
    delays.sort((a, b) => a - b)
    console.log(
      `seen by another process after ${delays[6]!.toFixed(0)} ms, at most ${delays.at(-1)!.toFixed(0)} ms`,
    )
  } finally {
    await app.close()
    await signals.close()
    await own.end()
  }
})

test('a process that lost its connection to the others keeps nothing of before', async () => {
  const [ann, bob] = [await person(), await person()]
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  // Nothing of this page depends on the time: it is good for a minute unless something is forgotten.
  const url = `/users/${ann.id}/followers`
  await guest('GET', url)
  assert.equal(await cost(() => guest('GET', url)), 0)
  const since = performance.now()
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %' and pid <> pg_backend_pid()`
  while ((await cost(() => guest('GET', url))) === 0) {
    assert.ok(performance.now() - since < 30_000, 'the page is still kept')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

describe('counters that others changed', () => {
  const open = async (countsAfter: number) => {
    const keptPages = { ...ctx.config.keptPages, countsMs: 60_000, countsAfter }
    const config = { ...ctx.config, keptPages }
    const app = await buildApp({ ...ctx, config, metrics: createMetrics(), onClose: [] })
    const likesOf = async (id: number, who?: Person) => {
      const headers = who ? { authorization: `Bearer ${who.token}` } : {}
      const reply = await app.inject({ url: '/api/v2/feeds', headers })
      return reply.json().feeds.find((feed: { id: number }) => feed.id === id)
    }
    return { app, likesOf }
  }

  test('may be seen a moment later in a rush, but not by who changed them', async () => {
    const { app, likesOf } = await open(0)
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    const read = async (who?: Person) => (await likesOf(id, who)).like_count
    assert.deepEqual([await read(), await read(bob)], [0, 0])
    await as(bob, 'POST', `/feeds/${id}/like`)
    assert.equal(await read(ann), 0)
    assert.equal(await read(bob), 1)
    assert.equal(await read(ann), 1)
    await app.close()
  })

  test('are exact for everybody while there is no rush', async () => {
    const { app, likesOf } = await open(1_000_000)
    const [ann, bob] = [await person(), await person()]
    const id = await publish(ann)
    assert.equal((await likesOf(id)).like_count, 0)
    await as(bob, 'POST', `/feeds/${id}/like`)
    assert.deepEqual([(await likesOf(id)).like_count, (await likesOf(id, ann)).like_count], [1, 1])
    const views = (await likesOf(id)).feed_view_count
    assert.equal((await likesOf(id)).feed_view_count, views + 1)
    await app.close()
  })
})

describe('what goes over the wire', () => {
  const read = (headers: Record<string, string> = {}) => world.app.inject({ url: '/api/v2/feeds', headers })

  test('is sent once to who has it already (conventions-37)', async () => {
    const ann = await person()
    for (const [who, url] of [
      [undefined, '/feed/topics'],
      [undefined, '/users?limit=3'],
      [ann, '/user'],
    ] as const) {
      const get = (headers: Record<string, string> = {}) =>
        who ? as(who, 'GET', url, undefined, headers) : guest('GET', url, undefined, headers)
      const { headers, status } = await get()
      assert.equal(status, 200)
      assert.match(String(headers.etag), /^W\/"[\w-]{20}"$/)
      assert.match(String(headers.vary), /Accept-Encoding, Authorization/)
      assert.equal(headers['cache-control'], who ? 'no-store' : 'public, no-cache')
      const again = await get({ 'if-none-match': `"other", ${headers.etag}` })
      assert.deepEqual([again.status, again.body, again.headers.etag], [304, null, headers.etag])
      assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)
    }
  })

  test('is compressed for who asks for it, from a size on', async () => {
    const ann = await person()
    await Promise.all(Array.from({ length: 5 }, () => publish(ann, 'word '.repeat(100))))
    const plain = (await read()).json().feeds.map(({ id }: { id: number }) => id)
    for (const [accepts, name, decode] of [
      ['gzip', 'gzip', gunzipSync],
      ['br, gzip;q=0.5', 'br', brotliDecompressSync],
      ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ] as const)
      for (const bearer of [{}, { authorization: `Bearer ${ann.token}` }]) {
        const { headers, rawPayload } = await read({ 'accept-encoding': accepts, ...bearer })
        assert.equal(headers['content-encoding'], name)
        assert.equal(Number(headers['content-length']), rawPayload.length)
        const { feeds } = JSON.parse(decode(rawPayload).toString())
        assert.deepEqual(
          feeds.map(({ id }: { id: number }) => id),
          plain,
        )
      }
    for (const accepts of ['identity', 'gzip;q=0', 'deflate', 'nonsense;;q=x', ''])
      assert.equal(
        (await read({ 'accept-encoding': accepts })).headers['content-encoding'],
        undefined,
        accepts,
      )
    const short = await world.app.inject({ url: '/api/v2/tags', headers: { 'accept-encoding': 'gzip' } })
    assert.equal(short.headers['content-encoding'], undefined)
  })

  test('differs by language only where it has words of ours', async () => {
    assert.doesNotMatch(String((await guest('GET', '/feeds')).headers.vary), /language/i)
    assert.match(String((await guest('GET', '/feeds/999999999')).headers.vary), /Accept-Language/)
  })
})

test('the memory that pages take is bounded', async () => {
  const keptPages = { ...ctx.config.keptPages, bytes: 100_000 }
  const node = { ...ctx, config: { ...ctx.config, keptPages }, metrics: createMetrics(), onClose: [] }
  const app = await buildApp(node)
  const ann = await person()
  await publish(ann, 'text '.repeat(200))
  for (let limit = 1; limit <= 50; limit += 1)
    await app.inject(`/api/v2/feeds?limit=${limit}&after=${10_000 + limit}`)
  const { pages, bytes } = pagesOf(node).state()
  assert.ok(bytes <= 100_000 && pages > 0, `${pages} pages, ${bytes} bytes`)
  assert.match(await node.metrics.render(), /http_kept_pages_total\{event="made"\} \d/)
  await app.close()
})
