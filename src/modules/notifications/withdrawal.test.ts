import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createCategory, createNews } from '#test/fixtures/news.ts'
import { createWorld, type Person } from '#test/world.ts'
import { strayNotifications } from './strays.ts'

const world = await createWorld()
const { sql, as, person, work } = world
const { publish } = feedsOf(world)

type Cause = { type: string; ids: number[] }

/** Stores unread notifications as an earlier version would have left them. */
async function store(who: Person, kind: string, { type, ids }: Cause): Promise<void> {
  await sql`
    with cursor as (
      insert into notification_cursors (user_id, last_seq) values (${who.id}, ${ids.length})
      on conflict (user_id) do update set last_seq = notification_cursors.last_seq + excluded.last_seq
      returning last_seq
    ),
    made as (
      insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id)
      select ${who.id}, last_seq + 1 - n, gen_random_uuid(), ${kind}, 1, '{}', ${type}, id
      from cursor, unnest(${ids}::bigint[]) with ordinality as t (id, n) returning seq
    )
    insert into notification_counts as c (user_id, type, unread, total, last_seq)
    select ${who.id}, ${kind}, count(*), count(*), max(seq) from made
    on conflict (user_id, type) do update set unread = c.unread + excluded.unread, total = c.total + excluded.total,
      last_seq = excluded.last_seq`
}

const unread = async (who: Person, type: string): Promise<number> =>
  (await as(who, 'GET', '/user/notification-statistics')).body[type].badge

test('withdraws notifications of 500 comments with the deletion of a feed, and the rest in a job (notifications-7)', async () => {
  const [ann, ben] = [await person(), await person()]
  const feed = await publish(ann, { feed_content: 'Busy' })
  const comments = await sql<{ id: number }[]>`
    insert into comments (commentable_type, commentable_id, user_id, body)
    select 'feeds', ${feed}, ${ben.id}, 'Hm' from generate_series(1, 1200) returning id`
  await store(ann, 'comment', { type: 'comments', ids: comments.map(({ id }) => id) })
  assert.equal((await as(ann, 'DELETE', `/feeds/${feed}/currency`)).status, 204)
  assert.equal(await unread(ann, 'comment'), 700)
  await work()
  assert.equal(await unread(ann, 'comment'), 0)
})

test('keeps read notifications about a deleted feed, and unread ones about other feeds', async () => {
  const [ann, ben] = [await person(), await person()]
  const [read, deleted, other] = [await publish(ann), await publish(ann), await publish(ann)]
  await as(ben, 'POST', `/feeds/${read}/like`)
  await as(ann, 'PUT', '/user/notifications/all')
  for (const feed of [deleted, other]) await as(ben, 'POST', `/feeds/${feed}/like`)
  for (const feed of [read, deleted])
    assert.equal((await as(ann, 'DELETE', `/feeds/${feed}/currency`)).status, 204)
  const { data } = (await as(ann, 'GET', '/user/notifications?type=like')).body
  assert.deepEqual(
    data.map((each: { data: { resource: { id: number } } }) => each.data.resource.id),
    [other, read],
  )
  assert.equal(await unread(ann, 'like'), 1)
})

test('keeps the notification of an accepted deletion while a job withdraws the rest', async () => {
  const admin = await person({ roles: ['founder', 'owner'] })
  const ann = await person()
  const category = await createCategory(world, admin)
  const news = await createNews(world, admin, ann, { category_id: category, title: 'Popular' })
  await as(ann, 'PUT', '/user/notifications/all')
  await store(ann, 'like', { type: 'news', ids: Array.from({ length: 600 }, () => news) })
  assert.equal((await as(ann, 'DELETE', `/news/categories/${category}/news/${news}`)).status, 201)
  const { data } = (await as(admin, 'GET', '/admin/news/deletions?sort=id&order=desc')).body
  const decision = await as(admin, 'PATCH', `/admin/news/deletions/${data[0].id}`, { action: 'accept' })
  assert.equal(decision.status, 204)
  await work()
  assert.equal(await unread(ann, 'like'), 0)
  assert.equal(await unread(ann, 'system'), 1)
})

test('finds and mends unread notifications about content that is gone', async () => {
  const [ann, ben] = [await person(), await person()]
  const feed = await publish(ann)
  const [comment] = await sql<{ id: number }[]>`
    insert into comments (commentable_type, commentable_id, user_id, body) values ('feeds', ${feed}, ${ben.id}, 'Hm')
    returning id`
  await as(ben, 'POST', `/feeds/${feed}/like`)
  await store(ann, 'comment', { type: 'comments', ids: [comment!.id, 999_999_999] })
  await sql`update feeds set deleted_at = now() where id = ${feed}`
  assert.deepEqual(await strayNotifications.find(sql), [
    { key: `${ann.id} comment`, kept: 2, counted: 0 },
    { key: `${ann.id} like`, kept: 1, counted: 0 },
  ])
  assert.equal(await transaction(sql, (tx) => strayNotifications.mend(tx)), 3)
  assert.deepEqual(await strayNotifications.find(sql), [])
  assert.deepEqual([await unread(ann, 'comment'), await unread(ann, 'like')], [0, 0])
})
