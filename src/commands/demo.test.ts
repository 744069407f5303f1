import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type World } from '#test/world.ts'
import { examine } from '../doctor.ts'
import { tellStory } from './demo/fill.ts'
import { closeJournal, hasDemo, openJournal } from './demo/journal.ts'
import { DealtWithOthers, removeRows } from './demo/remove.ts'

const PASSWORD = 'a password of the demo'

async function demoWorld(seed: number): Promise<World> {
  const world = await createWorld()
  await openJournal(world.sql, seed, 'small')
  await tellStory(world.ctx, world.connection, { seed, password: PASSWORD, progress: () => {} })
  await closeJournal(world.sql)
  return world
}

/** What a reader would call the same: texts, bytes, sums and places, without the ids and moments of one run. */
const contentsOf = async ({ sql }: World) => ({
  people:
    await sql`select name, bio, location, sex, followers_count, followings_count, feeds_count, comments_count
    from users join user_counts on user_id = id order by name`,
  feeds:
    await sql`select name, feed_content, like_count, feed_comment_count from feeds join users u on u.id = user_id order by feeds.id`,
  comments: await sql`select commentable_type, body from comments order by id`,
  balances:
    await sql`select name, currency, balance from ledger_accounts join users on id = owner_id order by 1, 2`,
  bytes:
    await sql`select name, encode(sha256, 'hex') as hash from files join users u on u.id = owner_id order by 1, 2`,
})

const examined = async ({ sql }: World) => {
  const lines: string[] = []
  const well = await examine(sql, { mend: false, print: (line) => lines.push(line) })
  assert.ok(well, lines.filter((line) => !line.startsWith('✓')).join('\n'))
}

/** How many rows each table has, of those that have any. */
async function rowsOf({ sql }: World): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await sql.unsafe<[{ count: number }]>(`select count(*)::int from "${name}"`)
    if (row.count > 0) counts[name] = row.count
  }
  return counts
}

const [one, two, empty] = [await demoWorld(7), await demoWorld(7), await createWorld()]

test('a demo is the same for the same seed, and its counters and ledger are right', async () => {
  assert.deepEqual(await contentsOf(one), await contentsOf(two))
  await examined(one)
})

test('six weeks are told in the order of time, up to now', async () => {
  const [row] = await one.sql<[{ days: number; ordered: boolean; young: boolean }]>`
    select extract(epoch from max(created_at) - min(created_at))::float8 / 86400 as days,
      bool_and(in_order) as ordered, bool_and(created_at < now()) as young
    from (select created_at, created_at >= coalesce(lag(created_at) over (order by id), created_at) as in_order from feeds) f`
  assert.ok(row.days > 35 && row.days < 43, String(row.days))
  assert.ok(row.ordered && row.young)
  const [{ early }] = await one.sql<[{ early: number }]>`
    select count(*)::int as early from comments c join feeds f on c.commentable_type = 'feeds' and f.id = c.commentable_id
    where c.created_at < f.created_at`
  assert.equal(early, 0)
})

test('its people sign in, and the administrator finds something in every queue', async () => {
  const { guest, as } = one
  for (const login of ['demo', 'demo_mod', 'demo_admin'])
    assert.equal((await guest('POST', '/auth/login', { login, password: PASSWORD })).status, 200, login)
  const { body } = await guest('POST', '/auth/login', { login: 'demo_admin', password: PASSWORD })
  const root = { id: 0, name: 'demo_admin', token: body.access_token }
  for (const queue of [
    '/admin/feed-topics?status=waiting',
    '/admin/feed-pinneds?state=pending',
    '/admin/certifications?status=0',
    '/admin/groups?audit=0',
    '/admin/withdrawals?state=pending',
    '/admin/recharges?state=pending',
    '/admin/reports?status=0',
    '/admin/question-applications?state=pending',
    '/admin/question-topic-applications?state=pending',
    '/admin/news?audit_status=1',
    '/admin/conversations?type=feedback',
  ]) {
    const answer = await as(root, 'GET', queue)
    assert.equal(answer.status, 200, `${queue} ${JSON.stringify(answer.body)}`)
    assert.ok(answer.body.total > 0, queue)
  }
})

test('songs are heard and pictures are seen', async () => {
  const songs = await one.guest('GET', '/music/songs')
  assert.ok(songs.body.length >= 8)
  const { body } = await one.guest('GET', '/feeds?limit=100')
  assert.ok(body.feeds.some((feed: { images: unknown[] }) => feed.images.length > 0))
})

test('what the demo made is taken away, and what others made stays', async () => {
  const { sql, as, person } = two
  const before = await rowsOf(empty)
  const ann = await person({ name: 'Not_of_the_demo' })
  const own = await as(ann, 'POST', '/feeds', { feed_content: 'My own', feed_from: 1, feed_mark: 1 })
  assert.equal(own.status, 201)
  const [theirs] = await sql<[{ id: number }]>`select id from feeds order by id limit 1`
  assert.equal((await as(ann, 'POST', `/feeds/${theirs.id}/comments`, { body: 'Nice' })).status, 201)
  assert.equal((await as(ann, 'POST', `/feeds/${theirs.id}/like`)).status, 201)
  const [{ id: member }] = await sql<[{ id: number }]>`select id from users where name = 'demo'`
  assert.equal((await as(ann, 'PUT', `/user/followings/${member}`)).status, 204)
  await removeRows(sql)
  await examine(sql, { mend: true, print: () => {} })
  await examined(two)
  assert.equal(await hasDemo(sql), false)
  assert.deepEqual(
    (await sql<{ name: string }[]>`select name from users`).map(({ name }) => name),
    ['Not_of_the_demo'],
  )
  assert.equal((await as(ann, 'GET', `/feeds/${own.body.id}`)).body.feed_content, 'My own')
  const after = await rowsOf(two)
  // What ann has herself, and files, whose bytes a job deletes first.
  for (const table of [
    'comments',
    'likes',
    'ledger_postings',
    'audit_log',
    'feed_topics',
    'groups',
    'news',
    'music_songs',
    'notifications',
    'reports',
    'settings',
  ])
    assert.equal(after[table] ?? 0, before[table] ?? 0, table)
  assert.equal(after.users, 1)
  assert.equal(after.feeds, 1)
})

test('a demo whose people were paid by others stays, because the ledger forgets nothing', async () => {
  const { sql, as, guest, person } = one
  const { body } = await guest('POST', '/auth/login', { login: 'demo_admin', password: PASSWORD })
  const root = { id: 0, name: 'demo_admin', token: body.access_token }
  const ann = await person()
  assert.equal(
    (await as(root, 'POST', `/admin/users/${ann.id}/points`, { amount: 50, reason: 'Hello' })).status,
    201,
  )
  const [{ id: member }] = await sql<[{ id: number }]>`select id from users where name = 'demo'`
  assert.equal((await as(ann, 'POST', `/user/${member}/new-rewards`, { amount: 5 })).status, 201)
  await assert.rejects(removeRows(sql), DealtWithOthers)
  assert.equal(await hasDemo(sql), true)
  await examined(one)
})
