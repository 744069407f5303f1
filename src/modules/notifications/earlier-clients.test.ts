import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticesOf } from '#test/fixtures/notices.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
const { tell } = noticesOf(world)

const statistics = async (who: Person) => (await as(who, 'GET', '/user/notification-statistics')).body
const ZULU = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

test('pages the list of mentions for older clients by sequence number (notifications-11)', async () => {
  const [ann, ben] = [await person(), await person()]
  const comments: number[] = []
  for (let id = 1; id <= 3; id += 1) {
    await tell(ann, ben, 'at', { contents: 'hi', resource: { type: 'comments', id } })
    await tell(ann, ben, 'like')
    comments.push(id)
  }
  const mentions = async (query = '') => (await as(ann, 'GET', `/user/message/atme${query}`)).body
  const resources = (list: { resourceable: { id: number } }[]) => list.map((each) => each.resourceable.id)
  const all = await mentions()
  assert.deepEqual(resources(all), comments.toReversed())
  assert.deepEqual(Object.keys(all[0]), ['id', 'user_id', 'resourceable', 'created_at'])
  assert.equal(all[0].user_id, ann.id)
  assert.equal(all[0].resourceable.type, 'comments')
  assert.match(all[0].created_at, ZULU)
  assert.deepEqual(resources(await mentions(`?index=${all[0].id}&limit=1`)), [2])
  assert.deepEqual(resources(await mentions(`?index=${all[2].id}&direction=asc`)), [2, 3])
  assert.deepEqual((await as(ben, 'GET', '/user/message/atme')).body, [])
  for (const query of ['?limit=0', '?limit=101', '?index=-1', '?direction=up'])
    assert.equal((await as(ann, 'GET', `/user/message/atme${query}`)).status, 422, query)
})

test('pages notifications by offset for older clients (notifications-4, notifications-5)', async () => {
  const [ann, ben] = [await person(), await person()]
  for (let number = 0; number < 9; number += 1) await tell(ann, ben, 'like')
  for (let number = 0; number < 9; number += 1) await tell(ann, ben, 'comment', { contents: 'So it is' })
  const list = async (query: string) => (await as(ann, 'GET', `/user/notifications?${query}`)).body
  const first = await list('offset=0&limit=15')
  const rest = await list('offset=15')
  assert.deepEqual([first.length, rest.length, (await list('offset=18')).length], [15, 3, 0])
  for (const { data } of first) assert.equal(data.content, data.contents)
  assert.equal(first[0].data.content, 'So it is')
  assert.equal(new Set([...first, ...rest].map(({ id }: { id: string }) => id)).size, 18)
  const typed = await list('offset=0&limit=2&type=like')
  assert.deepEqual([typed.data.length, typed.meta.total, 'content' in typed.data[0].data], [2, 9, false])
  assert.match(typed.links.next, /\?type=like&limit=2&offset=2$/)
  for (const query of ['', '?after=5', '?page=1', '?limit=15', '?type=&after=5'])
    assert.equal((await as(ann, 'GET', `/user/notifications${query}`)).status, 422, query)
  assert.equal((await list('offset=8&type=like')).data.length, 1)
  assert.equal((await as(ann, 'GET', '/user/notifications?offset=0&type=news')).status, 422)
  assert.equal((await as(ann, 'PUT', '/user/notifications/all')).status, 204)
  const { like, comment } = await statistics(ann)
  assert.deepEqual([like.badge, comment.badge], [0, 0])
})

test('returns unread counts for older clients (notifications-10)', async () => {
  const [ann, bob] = [await person(), await person()]
  await sql`insert into user_follows (user_id, target_id) values (${ann.id}, ${bob.id})`
  for (const type of ['follow', 'like', 'comment', 'at'] as const) await tell(ann, bob, type)
  await tell(ann, null, 'system', { type: 'report' })
  const counts = async () => (await as(ann, 'GET', '/user/counts')).body.user
  const pins = {
    'news-comment-pinned': 0,
    'feed-comment-pinned': 0,
    'post-pinned': 0,
    'post-comment-pinned': 0,
    'group-join-pinned': 0,
  }
  assert.deepEqual(await counts(), {
    following: 1,
    liked: 1,
    commented: 1,
    system: 1,
    mutual: 1,
    at: 1,
    ...pins,
  })
  assert.equal((await as(ann, 'PATCH', '/user/counts', { type: 'liked' })).status, 204)
  assert.equal((await as(ann, 'PATCH', '/user/counts', { type: 'mutual' })).status, 204)
  assert.deepEqual(await counts(), {
    following: 1,
    liked: 0,
    commented: 1,
    system: 1,
    mutual: 0,
    at: 1,
    ...pins,
  })
  assert.equal((await as(ann, 'PATCH', '/user/counts', { type: 'feed-comment-pinned' })).status, 204)
  assert.equal((await as(ann, 'PATCH', '/user/counts', { type: 'nothing' })).status, 422)
  assert.equal((await as(ann, 'PATCH', '/user/counts')).status, 204)
  assert.deepEqual(Object.values(await counts()), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('names senders in the overview of unread notifications (notifications-10)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'comment', { contents: 'Nice' })
  await tell(ann, bob, 'at', { contents: '@ann' })
  const { status, body } = await as(ann, 'GET', '/user/unread-count')
  assert.equal(status, 200)
  assert.deepEqual(body.counts, {
    user_id: ann.id,
    unread_comments_count: 1,
    unread_likes_count: 0,
    unread_follows_count: 0,
    unread_at_count: 1,
    unread_group_join_count: 0,
    system: 0,
  })
  assert.deepEqual(body.comments[0].user, { id: bob.id, name: bob.name })
  assert.deepEqual(body.atme.users, [bob.name])
  assert.deepEqual([body.likes, body.system], [[], null])
  assert.deepEqual(body.pinneds.feeds, { time: null, count: 0 })
})
