import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticesOf } from '#test/fixtures/notices.ts'
import { createWorld, type Person } from '#test/world.ts'
import { resourceCode } from './codes.ts'
import { tidyNotifications } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const { tell } = noticesOf(world)

const statistics = async (who: Person) => (await as(who, 'GET', '/user/notification-statistics')).body
const list = async (who: Person, query: string) => (await as(who, 'GET', `/user/notifications?${query}`)).body
const ZULU = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

test('statistics of somebody without any notification have every key (notifications-3)', async () => {
  const ann = await person()
  assert.deepEqual(await statistics(ann), {
    at: { badge: 0, last_created_at: null, preview_users_names: [] },
    comment: { badge: 0, last_created_at: null, preview_users_names: [] },
    like: { badge: 0, last_created_at: null, preview_users_names: [] },
    system: { badge: 0, first: null },
    follow: { badge: 0 },
  })
})

test('statistics count what is unread and name the senders of the newest five once each (notifications-3)', async () => {
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
})

test('the list of mentions that earlier clients fetch is paged by its own ids (notifications-11)', async () => {
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

test('the newest system notification comes with its text, a sender and an integer resource type (notifications-8)', async () => {
  const ann = await person()
  const data = { type: 'pinned:feeds', state: 'passed', feed: { id: 3 } }
  const cause = await tell(ann, null, 'system', data)
  await tell(ann, await person(), 'comment', { contents: 'later, and no system one' })
  const { first, badge } = (await statistics(ann)).system
  assert.equal(badge, 1)
  assert.equal(first.read_at, null)
  assert.deepEqual(first.data, {
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

test('every type of the list has contents, sender and commentable, and what it has besides (notifications-6)', async () => {
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

test('the name of a sender is the present one, and empty once the account is disabled (notifications-6)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'like')
  await sql`update users set name = 'Robert' where id = ${bob.id}`
  assert.equal((await list(ann, 'type=like')).data[0].data.sender.name, 'Robert')
  await sql`update users set deleted_at = now() where id = ${bob.id}`
  assert.deepEqual((await list(ann, 'type=like')).data[0].data.sender, { id: bob.id, name: '' })
  assert.deepEqual((await statistics(ann)).like.preview_users_names, [])
})

test('the list has pages of 15, newest first, with links and numbers that hold on every page (notifications-4)', async () => {
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
  assert.deepEqual([beyond.meta.from, beyond.meta.to, beyond.meta.total], [null, null, 32])
  assert.deepEqual([beyond.links.prev, beyond.links.next], [url(8), null])
  assert.equal((await list(ann, 'type=like&page=NaN')).meta.current_page, 1)
})

test('an empty list has one page, and another person has none of what is mine (notifications-4)', async () => {
  const { data, meta, links } = await list(await person(), 'type=at')
  assert.deepEqual(data, [])
  assert.deepEqual([meta.from, meta.to, meta.total, meta.last_page], [null, null, 0, 1])
  assert.deepEqual([links.prev, links.next], [null, null])
})

test('earlier clients skip rows, of all types together, and mark everything as read (notifications-4, notifications-5)', async () => {
  const [ann, ben] = [await person(), await person()]
  for (let number = 0; number < 9; number += 1) await tell(ann, ben, 'like')
  for (let number = 0; number < 9; number += 1) await tell(ann, ben, 'comment', { contents: 'So it is' })
  const list = async (query: string) => (await as(ann, 'GET', `/user/notifications?${query}`)).body
  const first = await list('offset=0&limit=15')
  assert.deepEqual([first.data.length, first.meta.total, first.meta.last_page], [15, 18, 2])
  assert.match(first.links.next, /\?offset=15$/)
  const rest = await list('offset=15')
  assert.deepEqual([rest.data.length, rest.meta.from, rest.meta.to], [3, 16, 18])
  const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id)
  assert.equal(new Set(ids).size, 18)
  assert.equal((await list('offset=8&type=like')).data.length, 1)
  assert.equal((await as(ann, 'GET', '/user/notifications?offset=0&type=news')).status, 422)
  assert.equal((await as(ann, 'PUT', '/user/notifications/all')).status, 204)
  const { like, comment } = await statistics(ann)
  assert.deepEqual([like.badge, comment.badge], [0, 0])
})

test('what was stored before its type had all fields is shown completely, and what is gone neutrally (notifications-9)', async () => {
  const ann = await person()
  const GONE = '[no longer available]'
  const stored = [
    [
      { type: 'group:post-reward', amount: 7, post: { id: 987654 } },
      { post: { id: 987654, title: GONE }, group_id: 0 },
    ],
    [
      { type: 'reward:news', amount: '7', news: { id: 987654 } },
      { amount: 7, unit: '积分', news: { id: 987654, title: GONE } },
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
  }
  assert.equal((await as(ann, 'GET', '/user/notifications?type=system')).body.data.length, stored.length)
})

test('type is needed and has to be a known one; without a token it is 401 (notifications-4)', async () => {
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

test('marking a type as read touches that type only, from body or query, and keeps the time of each (notifications-5)', async () => {
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

test('clearing new followers zeroes the counter and keeps the history (notifications-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'follow')
  for (const _ of [1, 2])
    assert.equal((await as(ann, 'PATCH', '/user/clear-follow-notification')).status, 204)
  assert.equal((await statistics(ann)).follow.badge, 0)
  const { data, meta } = await list(ann, 'type=follow')
  assert.equal(meta.total, 1)
  assert.match(data[0].read_at, ZULU)
})

test('the counters of earlier clients follow the badges, and are cleared one by one or together (notifications-10)', async () => {
  const [ann, bob] = [await person(), await person()]
  await sql`insert into user_follows (user_id, target_id) values (${ann.id}, ${bob.id})`
  for (const type of ['follow', 'like', 'comment', 'at'] as const) await tell(ann, bob, type)
  await tell(ann, null, 'system', { type: 'report' })
  const counts = async () => (await as(ann, 'GET', '/user/counts')).body.user
  const pins = { 'news-comment-pinned': 0, 'feed-comment-pinned': 0 }
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
  assert.deepEqual(Object.values(await counts()), [0, 0, 0, 0, 0, 0, 0, 0])
})

test('the overview of earlier clients names who did what (notifications-10)', async () => {
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
    system: 0,
  })
  assert.deepEqual(body.comments[0].user, { id: bob.id, name: bob.name })
  assert.deepEqual(body.atme.users, [bob.name])
  assert.deepEqual([body.likes, body.system], [[], null])
  assert.deepEqual(body.pinneds.feeds, { time: null, count: 0 })
})

test('what is read for longer than the setting says is tidied, and nothing else (notifications-16)', async () => {
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
