import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'
import { muteTasks } from './mutes.ts'

const { as, guest, person, sql, ctx } = await createWorld()

const mute = (who: Person, whom: Person, body: object = {}) => as(who, 'PUT', `/user/mutes/${whom.id}`, body)
const unmute = (who: Person, whom: Person) => as(who, 'DELETE', `/user/mutes/${whom.id}`)
const relation = async (who: Person, whom: Person) =>
  (await as(who, 'GET', `/user/relations/${whom.id}`)).body
const muteOf = async (who: Person, whom: Person) => {
  const { muted, muted_until } = await relation(who, whom)
  return { muted, muted_until }
}
const end = (who: Person, whom: Person) =>
  sql`update user_mutes set ends_at = now() - interval '1 second' where user_id = ${who.id} and target_id = ${whom.id}`

let mark = 0
const publish = async (who: Person, body: object = {}): Promise<number> => {
  mark += 1
  const given = { feed_content: 'hello', feed_from: 5, feed_mark: mark, ...body }
  return (await as(who, 'POST', '/feeds', given)).body.id
}
const feedIds = async (who: Person, query: string) =>
  (await as(who, 'GET', `/feeds?${query}`)).body.feeds.map(({ id }: { id: number }) => id)
const unread = async (who: Person) =>
  (await sql<{ type: string }[]>`select type from notifications where user_id = ${who.id} order by seq`).map(
    ({ type }) => type,
  )

test('hides the posts and comments of a muted person only from the person who mutes (relations-5)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${bob.id}`)
  const feed = await publish(bob)
  const own = await publish(cid)
  await as(bob, 'POST', `/feeds/${own}/comments`, { body: 'first' })
  const seen = async (who: Person) => ({
    lists: await Promise.all(
      ['type=new', 'type=hot', 'search=hello', `id=${feed}`, ...(who === ann ? ['type=follow'] : [])].map(
        async (query) => (await feedIds(who, query)).includes(feed),
      ),
    ),
    comments: (await as(who, 'GET', `/feeds/${own}/comments`)).body.comments.length,
    preview: (await as(who, 'GET', `/feeds?id=${own}`)).body.feeds[0].comments.length,
  })
  const all = { lists: [true, true, true, true, true], comments: 1, preview: 1 }
  assert.deepEqual(await seen(ann), all)
  assert.equal((await mute(ann, bob)).status, 204)
  assert.deepEqual(await seen(ann), { lists: [false, false, false, false, false], comments: 0, preview: 0 })
  assert.deepEqual(await seen(cid), { ...all, lists: all.lists.slice(1) })
  // The muted person's own page, profile and follows stay.
  assert.deepEqual(await feedIds(ann, `type=users&user=${bob.id}`), [feed])
  assert.equal((await as(ann, 'GET', `/users/${bob.id}`)).body.follower, true)
  assert.equal((await as(ann, 'GET', '/user/followings')).body.length, 1)
  assert.equal((await unmute(ann, bob)).status, 204)
  assert.deepEqual(await seen(ann), all)
})

test('sends no notification of a muted person except system notifications (relations-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  const feed = await publish(ann)
  await mute(ann, bob)
  await as(bob, 'POST', `/feeds/${feed}/like`)
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: `hello @${ann.name} ` })
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  assert.deepEqual(await unread(ann), [])
  await end(ann, bob)
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'again' })
  assert.deepEqual(await unread(ann), ['comment'])
})

test('tells only the person who mutes, and ends a mute at its time (relations-5)', async () => {
  const [ann, bob] = [await person(), await person()]
  const feed = await publish(bob)
  assert.deepEqual(await muteOf(ann, bob), { muted: false, muted_until: null })
  await mute(ann, bob, { hours: 24 })
  const timed = await relation(ann, bob)
  assert.equal(timed.muted, true)
  assert.match(timed.muted_until, /^\d{4}-/)
  assert.deepEqual(await muteOf(bob, ann), { muted: false, muted_until: null })
  assert.equal((await as(ann, 'GET', '/user/mutes')).body[0].user.id, bob.id)
  assert.deepEqual((await as(bob, 'GET', '/user/mutes')).body, [])
  await mute(ann, bob)
  assert.deepEqual(await muteOf(ann, bob), { muted: true, muted_until: null })
  await end(ann, bob)
  assert.deepEqual(await muteOf(ann, bob), { muted: false, muted_until: null })
  assert.deepEqual((await as(ann, 'GET', '/user/mutes')).body, [])
  assert.ok((await feedIds(ann, 'type=new')).includes(feed))
  await muteTasks(ctx).delete_ended_mutes?.(undefined, undefined as never)
  assert.equal((await sql`select from user_mutes where user_id = ${ann.id}`).length, 0)
})

test('shows a conversation with a muted person as muted', async () => {
  const [ann, bob] = [await person(), await person()]
  const { id } = (await as(ann, 'PUT', `/chats/people/${bob.id}`)).body
  await as(bob, 'POST', `/chats/${id}/messages`, { body: 'hello' })
  const muted = async (who: Person) => (await as(who, 'GET', `/chats/${id}`)).body.muted
  assert.equal(await muted(ann), false)
  await mute(ann, bob)
  assert.deepEqual([await muted(ann), await muted(bob)], [true, false])
})

test('lists mutes by page, newest first, and rejects wrong mutes', async () => {
  const ann = await person()
  const people = await Promise.all(Array.from({ length: 4 }, () => person()))
  for (const each of people) await mute(ann, each)
  const ids = people.map(({ id }) => id).reverse()
  const page = async (query: string) =>
    (await as(ann, 'GET', `/user/mutes?${query}`)).body.map(({ user }: { user: Person }) => user.id)
  assert.deepEqual(await page('limit=2'), ids.slice(0, 2))
  assert.deepEqual(await page(`limit=2&after=${ids[1]}`), ids.slice(2))
  assert.equal((await mute(ann, ann)).headers['x-error-code'], 'mutes_oneself')
  for (const hours of [0, 9000]) assert.equal((await mute(ann, people[0]!, { hours })).status, 422)
  for (const call of [mute, unmute]) assert.equal((await call(ann, { ...ann, id: 2 ** 40 })).status, 404)
  assert.equal((await as(ann, 'GET', `/user/relations/${2 ** 40}`)).status, 404)
  for (const [method, path] of [
    ['PUT', `/user/mutes/${ann.id}`],
    ['DELETE', `/user/mutes/${ann.id}`],
    ['GET', '/user/mutes'],
    ['GET', `/user/relations/${ann.id}`],
  ] as const)
    assert.equal((await guest(method, path, method === 'PUT' ? {} : undefined)).status, 401)
})

test('mutes at most 1000 people, also under concurrent requests', async () => {
  const ann = await person()
  const people = await Promise.all(Array.from({ length: 3 }, () => person()))
  await sql`
    insert into users (name, name_key, name_grams, created_at)
    select 'crowd' || g, 'crowd' || g, '{}', now() from generate_series(1, 999) g`
  await sql`
    insert into user_mutes (user_id, target_id) select ${ann.id}, id from users where name_key like 'crowd%'`
  const answers = await Promise.all(people.map((each) => mute(ann, each)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422])
  const [row] = await sql<
    [{ n: number }]
  >`select count(*)::int as n from user_mutes where user_id = ${ann.id}`
  assert.equal(row.n, 1000)
})
