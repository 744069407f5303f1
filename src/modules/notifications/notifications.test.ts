import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticesOf } from '#test/fixtures/notices.ts'
import { settingsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'
import { resourceCode } from './codes.ts'
import { notificationCounters } from './counters.ts'
import { tidyNotifications } from './retention.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const { tell } = noticesOf(world)
const under = settingsOn(world)

const statistics = async (who: Person) => (await as(who, 'GET', '/user/notification-statistics')).body
const list = async (who: Person, query: string) => (await as(who, 'GET', `/user/notifications?${query}`)).body
const ZULU = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

test('returns every key of the statistics for a user without notifications (notifications-3)', async () => {
  const ann = await person()
  assert.deepEqual(await statistics(ann), {
    at: { badge: 0, last_created_at: null, preview_users_names: [] },
    comment: { badge: 0, last_created_at: null, preview_users_names: [] },
    like: { badge: 0, last_created_at: null, preview_users_names: [] },
    system: { badge: 0, first: null },
    follow: { badge: 0 },
  })
})

test('names each sender of the newest five notifications of a type once (notifications-3)', async () => {
  const [ann, ...senders] = await Promise.all(Array.from({ length: 7 }, () => person()))
  for (const sender of senders) await tell(ann!, sender, 'like')
  await tell(ann!, senders[5]!, 'like')
  await tell(ann!, senders[0]!, 'follow')
  const body = await statistics(ann!)
  assert.equal(body.like.badge, 7)
  assert.match(body.like.last_created_at, ZULU)
  assert.deepEqual(
    body.like.preview_users_names,
    [5, 4, 3, 2].map((index) => senders[index]!.name),
  )
  assert.deepEqual(body.follow, { badge: 1 })
  const { likes } = (await as(ann!, 'GET', '/user/unread-count')).body
  assert.deepEqual(
    likes.map(({ user }: { user: { id: number } }) => user.id),
    [5, 4, 3, 2].map((index) => senders[index]!.id),
  )
})

test('returns the newest system notification in the statistics (notifications-8)', async () => {
  const ann = await person()
  const data = { type: 'pinned:feeds', state: 'passed', feed: { id: 3 } }
  const cause = await tell(ann, null, 'system', data)
  await tell(ann, await person(), 'comment', { contents: 'later, and no system one' })
  const { first, badge } = (await statistics(ann)).system
  assert.equal(badge, 1)
  assert.equal(first.read_at, null)
  assert.deepEqual(first.data, {
    kind: 'pinned:feeds',
    type: 'pinned:feeds',
    state: 'passed',
    feed: { id: 3 },
    feed_id: 3,
    sender: { id: 0, name: 'Kith' },
    commentable: cause,
    resource: { type: resourceCode('feeds'), id: cause.id },
    contents: 'The request to pin your post was accepted.',
  })
  const chinese = await as(ann, 'GET', '/user/notification-statistics', undefined, {
    'accept-language': 'zh',
  })
  assert.equal(chinese.body.system.first.data.contents, '你的动态置顶申请已通过。')
})

test('returns contents, sender and commentable of each notification (notifications-6)', async () => {
  const [ann, bob] = [await person(), await person()]
  const comment = await tell(ann, bob, 'comment', {
    contents: 'Nice',
    commentable: { type: 'feeds', id: 9 },
    hasReply: true,
  })
  await tell(ann, bob, 'like', { resource: { type: 'feeds', id: 9 } })
  await tell(ann, bob, 'at', { resource: { type: 'comments', id: comment.id }, contents: 'hi @ann' })
  const followed = await tell(ann, bob, 'follow')
  const sender = { id: bob.id, name: bob.name }
  const dataOf = async (type: string) => (await list(ann, `type=${type}`)).data[0].data
  assert.deepEqual(await dataOf('comment'), {
    contents: 'Nice',
    sender,
    commentable: { type: 'feeds', id: 9 },
    hasReply: true,
    user: sender,
  })
  const liked = { type: 'feeds', id: 9 }
  assert.deepEqual(await dataOf('like'), { contents: '', sender, commentable: liked, resource: liked })
  const place = { type: 'comments', id: comment.id }
  assert.deepEqual(await dataOf('at'), { contents: 'hi @ann', sender, commentable: place, resource: place })
  assert.deepEqual(await dataOf('follow'), {
    contents: '',
    sender,
    ...sender,
    commentable: followed,
  })
})

test("returns the current name of a notification's sender (notifications-6)", async () => {
  const [ann, bob, founder] = [await person(), await person(), await person({ roles: ['founder', 'owner'] })]
  await tell(ann, bob, 'like')
  const nameShown = async () => {
    const { sender } = (await list(ann, 'type=like')).data[0].data
    assert.deepEqual(
      (await statistics(ann)).like.preview_users_names,
      sender.name === '' ? [] : [sender.name],
    )
    return sender.name
  }
  const manage = async (changes: object) =>
    assert.equal((await as(founder, 'PATCH', `/admin/users/${bob.id}`, changes)).status, 204)
  assert.equal(await nameShown(), bob.name)
  assert.equal((await as(bob, 'PATCH', '/user', { name: `R${bob.name}` })).status, 204)
  assert.equal(await nameShown(), `R${bob.name}`)
  await manage({ name: `S${bob.name}` })
  assert.equal(await nameShown(), `S${bob.name}`)
  await manage({ disabled: true })
  assert.equal(await nameShown(), '')
  await manage({ disabled: false })
  assert.equal(await nameShown(), `S${bob.name}`)
})

test('pages notifications by 15 with links to the other pages (notifications-4)', async () => {
  const [ann, bob] = [await person(), await person()]
  const ids: number[] = []
  for (let index = 0; index < 32; index += 1) ids.unshift((await tell(ann, bob, 'like')).id)
  const path = `${ctx.config.publicUrl}/api/v2/user/notifications`
  const url = (page: number) => `${path}?type=like&page=${page}`
  const seen: number[] = []
  for (const page of [1, 2, 3]) {
    const { data, links, meta } = await list(ann, `type=like&page=${page}`)
    seen.push(...data.map((each: { data: { commentable: { id: number } } }) => each.data.commentable.id))
    assert.deepEqual(links, {
      first: url(1),
      last: url(3),
      prev: page === 1 ? null : url(page - 1),
      next: page === 3 ? null : url(page + 1),
    })
    assert.deepEqual(meta, {
      current_page: page,
      from: page * 15 - 14,
      last_page: 3,
      path,
      per_page: 15,
      to: Math.min(page * 15, 32),
      total: 32,
    })
  }
  assert.deepEqual(seen, ids)
  const beyond = await list(ann, 'type=like&page=9')
  assert.deepEqual(beyond.data, [])
  assert.deepEqual([beyond.meta.from, beyond.meta.to, beyond.meta.total], [0, 0, 32])
  assert.deepEqual([beyond.links.prev, beyond.links.next], [url(8), null])
  assert.equal((await list(ann, 'type=like&page=NaN')).meta.current_page, 1)
})

test('returns one empty page for a user without notifications (notifications-4)', async () => {
  const { data, meta, links } = await list(await person(), 'type=at')
  assert.deepEqual(data, [])
  assert.deepEqual([meta.from, meta.to, meta.total, meta.last_page], [0, 0, 0, 1])
  assert.deepEqual([links.prev, links.next], [null, null])
})

test('completes the missing fields of notifications from older versions (notifications-9)', async () => {
  const ann = await person()
  const GONE = '[no longer available]'
  const stored = [
    [
      { type: 'group:post-reward', amount: 7, post: { id: 987654 } },
      { post: { id: 987654, title: GONE }, group_id: 0 },
    ],
    [
      { type: 'reward:news', amount: '7', news: { id: 987654 } },
      { amount: 7, unit: 'Points', news: { id: 987654, title: GONE } },
    ],
    [
      { type: 'group:report-post', state: 'passed', subject: 'Rude' },
      { group: { id: 0, name: GONE }, post: { id: 0, title: 'Rude' } },
    ],
    [{ type: 'group:report-comment' }, { comment: { id: 0, contents: GONE }, post: { id: 0, title: GONE } }],
    [
      { type: 'group:transfer', group: { id: 3, name: null } },
      { type: 'group:transform', group: { id: 3, name: GONE }, user: { id: 0, name: 'Kith' } },
    ],
    [
      { type: 'qa:question-topic:accept', topic_application: { id: 3, name: 'Wine', mark: null } },
      { topic: { id: 0, name: 'Wine' } },
    ],
    [
      { type: 'unheard-of', post: 'none', question: { id: 3, subject: 'Why?' } },
      { question: { id: 3, subject: 'Why?' } },
    ],
  ] as const
  for (const [data, shown] of stored) {
    const resource = { type: data.type === 'group:report-post' ? 'group-posts' : 'other', id: 0 }
    await tell(ann, null, 'system', { ...data, resource })
    const { first } = (await statistics(ann)).system
    for (const [name, value] of Object.entries(shown))
      assert.deepEqual(first.data[name], value, `${data.type} ${name}`)
    const overview = await as(ann, 'GET', '/user/unread-count')
    assert.deepEqual(overview.body.system, first, data.type)
  }
  assert.equal((await as(ann, 'GET', '/user/notifications?type=system')).body.data.length, stored.length)
})

test('requires a known type to list notifications or mark them as read (notifications-4)', async () => {
  const ann = await person()
  for (const query of ['', '?type=', '?type=news']) {
    for (const method of ['GET', 'PATCH'] as const) {
      const { status, body } = await as(ann, method, `/user/notifications${query}`)
      assert.equal(status, 422)
      assert.ok(body.errors.type, query)
    }
  }
  for (const path of ['/user/notifications?type=at', '/user/notification-statistics', '/user/counts'])
    assert.equal((await guest('GET', path)).status, 401)
})

test('marks only notifications of the requested type as read (notifications-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'like')
  await tell(ann, bob, 'at')
  assert.equal((await as(ann, 'PATCH', '/user/notifications', { type: 'like' })).status, 204)
  const first = (await list(ann, 'type=like')).data[0].read_at
  assert.match(first, ZULU)
  assert.equal((await statistics(ann)).like.badge, 0)
  assert.equal((await statistics(ann)).at.badge, 1)
  assert.equal((await list(ann, 'type=at')).data[0].read_at, null)

  await sql`update notification_reads set read_at = '2020-01-01' where user_id = ${ann.id}`
  await tell(ann, bob, 'like')
  assert.deepEqual(
    (await list(ann, 'type=like')).data.map((each: { read_at: string }) => each.read_at),
    [null, '2020-01-01T00:00:00Z'],
  )
  assert.equal((await as(ann, 'PATCH', '/user/notifications?type=like')).status, 204)
  assert.equal((await as(ann, 'PATCH', '/user/notifications?type=like')).status, 204)
  const times = (await list(ann, 'type=like')).data.map((each: { read_at: string }) => each.read_at)
  assert.notEqual(times[0], times[1])
  assert.equal(times[1], '2020-01-01T00:00:00Z')
})

test('resets the count of new followers without deleting notifications (notifications-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'follow')
  for (const _ of [1, 2])
    assert.equal((await as(ann, 'PATCH', '/user/clear-follow-notification')).status, 204)
  assert.equal((await statistics(ann)).follow.badge, 0)
  const { data, meta } = await list(ann, 'type=follow')
  assert.equal(meta.total, 1)
  assert.match(data[0].read_at, ZULU)
})

test('deletes read notifications only after the retention period (notifications-16)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'like')
  await as(ann, 'PATCH', '/user/notifications', { type: 'like' })
  await tell(ann, bob, 'like')
  await as(ann, 'PATCH', '/user/notifications', { type: 'like' })
  await sql`update notification_reads set read_at = now() - interval '400 days' where user_id = ${ann.id}`
  await tell(ann, bob, 'like')
  await as(ann, 'PATCH', '/user/notifications', { type: 'like' })
  await tell(ann, bob, 'like')
  await tidyNotifications(ctx)
  const { data, meta } = await list(ann, 'type=like')
  assert.equal(meta.total, 2)
  assert.equal(data.length, 2)
  assert.equal((await statistics(ann)).like.badge, 1)
  const marks = await sql`select 1 from notification_reads where user_id = ${ann.id}`
  assert.equal(marks.length, 1)
})

test('deletes expired unread notifications, and the oldest above the maximum per type (notifications-16)', async () => {
  const [ann, bob] = [await person(), await person()]
  const kept = async (who: Person) =>
    (await sql<{ seq: number }[]>`select seq from notifications where user_id = ${who.id} order by seq`).map(
      ({ seq }) => seq,
    )
  for (let n = 0; n < 6; n += 1) {
    await tell(ann, bob, 'like')
    if (n === 1) await as(ann, 'PATCH', '/user/notifications', { type: 'like' })
  }
  await tell(ann, bob, 'follow')
  // Notifications 1 and 2 are read. Notification 3 is the oldest unread like.
  await sql`update notifications set created_at = now() - interval '366 days' where user_id = ${ann.id} and seq in (1, 2, 3)`
  await tidyNotifications(ctx, 1)
  assert.deepEqual(await kept(ann), [1, 2, 4, 5, 6, 7])
  assert.equal((await statistics(ann)).like.badge, 3)
  await under({ 'notifications:keep-most': 2 }, () => tidyNotifications(ctx, 1))
  assert.deepEqual(await kept(ann), [5, 6, 7])
  assert.equal((await statistics(ann)).like.badge, 2)
  assert.equal((await list(ann, 'type=like')).meta.total, 2)
})

test('maintains exact counts when notifications are read during a deletion (notifications-16)', async () => {
  const [ann, bob] = [await person(), await person()]
  for (let n = 0; n < 30; n += 1) await tell(ann, bob, 'like')
  await under({ 'notifications:keep-most': 4 }, () =>
    Promise.all([
      tidyNotifications(ctx, 3),
      as(ann, 'PATCH', '/user/notifications', { type: 'like' }),
      tidyNotifications(ctx, 5),
      tell(ann, bob, 'like'),
    ]),
  )
  for (const check of notificationCounters) assert.deepEqual([...(await check.find(sql))], [], check.name)
})

test('returns a notification by id only to its recipient (notifications-4)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'like')
  const [listed] = (await list(ann, 'type=like')).data
  const path = `/user/notifications/${listed.id}`
  const { status, body } = await as(ann, 'GET', path)
  assert.deepEqual([status, body], [200, listed])
  for (const [who, url] of [
    [bob, path],
    [ann, '/user/notifications/01890000-0000-7000-8000-000000000000'],
    [ann, '/user/notifications/none'],
  ] as const)
    assert.equal((await as(who, 'GET', url)).status, 404)
  assert.equal((await guest('GET', path)).status, 401)
})
