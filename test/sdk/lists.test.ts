import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, createRunningWorld } from './running.ts'

const { sql, url, as, person } = await createRunningWorld()
const collect = async <T>(list: AsyncIterable<T>) => {
  const all: T[] = []
  for await (const item of list) all.push(item)
  return all
}
const ids = (items: { id: number }[]) => items.map(({ id }) => id)

const ann = await person()
for (let n = 0; n < 7; n += 1) {
  const answer = await as(ann, 'POST', '/feeds', {
    feed_content: `Entry ${n}`,
    feed_from: 1,
    feed_mark: n + 1,
  })
  assert.equal(answer.status, 201)
}
const feeds = ids(
  await sql<{ id: number }[]>`select id from feeds where user_id = ${ann.id} order by id desc`,
)
const pageSize = 3

test('yields each item of a list once', async () => {
  const { kith, asked } = clientOf(url, ann)
  const params = { query: { type: 'users' as const, user: ann.id } }
  assert.deepEqual(ids(await collect(kith.list('/feeds', { params, pageSize }))), feeds)
  assert.equal(asked.length, 3)
  const pages = await collect(kith.pages('/feeds', { params, pageSize }))
  assert.deepEqual(
    pages.map((page) => page.feeds.length),
    [3, 3, 1],
  )
})

test('requests no page beyond those that the caller reads', async () => {
  const { kith, asked } = clientOf(url, ann)
  for await (const feed of kith.list('/feeds', {
    params: { query: { type: 'users', user: ann.id } },
    pageSize,
  })) {
    assert.equal(feed.id, feeds[0])
    break
  }
  assert.equal(asked.length, 1)
})

test('yields each hot feed once when ranks are equal', async () => {
  await sql`insert into feed_hots (feed_id, hot, created_at) select id, 50 + id % 2, created_at from feeds
    on conflict (feed_id) do update set hot = excluded.hot`
  const { kith } = clientOf(url, ann)
  const hot = await collect(kith.list('/feeds', { params: { query: { type: 'hot' } }, pageSize }))
  assert.equal(new Set(ids(hot)).size, hot.length)
  assert.equal(hot.length, feeds.length)
  const whole = await collect(kith.list('/feeds', { params: { query: { type: 'hot' } }, pageSize: 100 }))
  assert.deepEqual(ids(hot), ids(whole))
})

test('ends at the last page with every kind of paging', async () => {
  const root = await person({ roles: ['founder'] })
  const others = await Promise.all(Array.from({ length: 7 }, () => person()))
  for (const other of others) assert.equal((await as(other, 'PUT', `/user/followings/${ann.id}`)).status, 204)
  const { kith } = clientOf(url, root)
  const path = { user: ann.id }
  const followers = await collect(kith.list('/users/{user}/followers', { params: { path }, pageSize }))
  assert.deepEqual(ids(followers), ids(others).reverse())
  const byPage = await collect(
    kith.list('/admin/feeds', { params: { query: { user_id: ann.id } }, pageSize }),
  )
  assert.deepEqual(ids(byPage).sort(), [...feeds].sort())
  const since = await collect(kith.list('/users', { params: { query: { order: 'asc' } }, pageSize }))
  assert.ok(since.length >= 9)
  assert.deepEqual(
    ids(since),
    [...new Set(ids(since))].sort((a, b) => a - b),
  )
  for (let n = 0; n < 4; n += 1)
    assert.equal((await as(root, 'POST', '/admin/feed-topics', { name: `Topic ${n}` })).status, 201)
  for (const direction of ['asc', 'desc'] as const) {
    const topics = ids(
      await collect(kith.list('/feed/topics', { params: { query: { direction } }, pageSize })),
    )
    assert.equal(topics.length, 4)
    assert.deepEqual(
      topics,
      topics.toSorted((a, b) => (direction === 'asc' ? a - b : b - a)),
    )
  }
  const told = await collect(kith.list('/user/notifications', { params: { query: { type: 'follow' } } }))
  assert.equal(told.length, 0)
})

test('yields all notifications across pages', async () => {
  const eve = await person()
  const { kith, asked } = clientOf(url, eve)
  for (let n = 0; n < 17; n += 1) await as(await person(), 'PUT', `/user/followings/${eve.id}`)
  const told = await collect(
    kith.list('/user/notifications', { params: { query: { type: 'follow' } }, pageSize: 10 }),
  )
  assert.equal(told.length, 17)
  assert.equal(asked.length, 2)
})
