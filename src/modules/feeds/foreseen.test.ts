import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScope, openDatabase, runInScope } from '#platform/database'
import { timelinesOf } from '#test/fixtures/timelines.ts'
import { createWorld } from '#test/world.ts'
import { getFeed } from './service.ts'
import { listFeeds } from './timelines/service.ts'

const world = await createWorld()
const { as, person, ctx, connection } = world
const { publish } = timelinesOf(world)

/** A node with a pool of its own that records which statements share a write. */
function node() {
  const writes: string[][] = []
  let isOpen = false
  const sql = openDatabase({
    connection,
    poolSize: 1,
    statementTimeoutMs: 60_000,
    onQuery({ text }) {
      if (!isOpen) writes.push([])
      writes.at(-1)!.push(text)
      isOpen = true
      queueMicrotask(() => {
        isOpen = false
      })
    },
  })
  const own = { ...ctx, sql, state: new Map(), onClose: [] } as typeof ctx
  return {
    end: () => sql.end(),
    async get(viewerId: number, feedId: number) {
      writes.length = 0
      const feed = await runInScope(createScope(), () => getFeed(own, viewerId, feedId))
      return { feed, writes: [...writes] }
    },
    async list(viewerId: number, query: Parameters<typeof listFeeds>[2] = {}) {
      writes.length = 0
      const { feeds } = await runInScope(createScope(), () => listFeeds(own, viewerId, query))
      return { feeds, writes: [...writes] }
    },
  }
}

for (const type of ['new', 'hot', 'follow'] as const)
  test(`reads a page of type ${type} and its people in one write`, async () => {
    const [author, viewer, other] = [await person(), await person(), await person()]
    await as(viewer, 'PUT', `/user/followings/${author.id}`)
    const id = await publish(author)
    const one = node()
    await one.list(viewer.id, { type })
    assert.equal((await one.list(viewer.id, { type })).writes.length, 1)

    // A comment brings a person whom the page before did not contain.
    await as(other, 'POST', `/feeds/${id}/comments`, { body: 'hello' })
    const commented = (await one.list(viewer.id, { type })).feeds.find((feed) => feed.id === id)
    assert.equal(commented?.comments[0]?.user?.id, other.id)
    const { feeds, writes } = await one.list(viewer.id, { type })
    assert.equal(feeds.find((feed) => feed.id === id)?.comments[0]?.user?.id, other.id)
    assert.equal(writes.length, 1)
    await one.end()
  })

test('reads a feed and its people in one write', async () => {
  const [author, viewer, other] = [await person(), await person(), await person()]
  const id = await publish(author)
  const one = node()
  await one.get(viewer.id, id)
  assert.equal((await one.get(viewer.id, id)).writes.length, 1)
  await as(other, 'POST', `/feeds/${id}/like`)
  assert.equal((await one.get(viewer.id, id)).feed.likes[0]?.user?.id, other.id)
  const { feed, writes } = await one.get(viewer.id, id)
  assert.equal(feed.likes[0]?.user?.id, other.id)
  assert.equal(writes.length, 1)
  await one.end()
})

test('shows changes of foreseen people at once', async () => {
  const [author, viewer, commenter] = [await person(), await person(), await person()]
  const id = await publish(author)
  await as(commenter, 'POST', `/feeds/${id}/comments`, { body: 'hello' })
  const one = node()
  const shown = async () => (await one.list(viewer.id)).feeds.find((feed) => feed.id === id)
  await shown()
  // The API says `follower` of a user whom the viewer follows.
  assert.equal((await shown())?.user?.follower, false)

  await as(viewer, 'PUT', `/user/followings/${author.id}`)
  assert.equal((await shown())?.user?.follower, true)
  await as(author, 'PATCH', '/user', { bio: 'a new bio' })
  assert.equal((await shown())?.user?.bio, 'a new bio')

  assert.equal((await shown())?.comments.length, 1)
  await as(viewer, 'PUT', `/user/mutes/${commenter.id}`)
  assert.equal((await shown())?.comments.length, 0)
  await as(viewer, 'DELETE', `/user/mutes/${commenter.id}`)
  assert.equal((await shown())?.comments.length, 1)
  await as(commenter, 'POST', `/user/black/${viewer.id}`)
  assert.equal((await shown())?.comments.length, 0)

  // Another viewer, who shares the foreseen people, still sees the commenter.
  const other = await person()
  const found = (await one.list(other.id)).feeds.find((feed) => feed.id === id)
  assert.equal(found?.comments[0]?.user?.id, commenter.id)
  assert.equal(found?.user?.follower, false)
  await one.end()
})
