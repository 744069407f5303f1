import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grams } from '#lib/text.ts'
import { createWorld } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()
const admin = await person({ roles: ['founder', 'owner'] })

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

async function insertFeeds(userId: number, texts: string[]): Promise<number[]> {
  const made = await sql<{ id: number }[]>`
    insert into feeds (user_id, feed_content, feed_from, feed_mark)
    select ${userId}, content, 1, 'frequent' || place from unnest(${texts}::text[]) with ordinality as t (content, place)
    order by place returning id`
  for (const [place, text] of texts.entries())
    await sql`
      insert into feed_search (feed_id, content_key, content_grams)
      values (${made[place]!.id}, ${text}, ${grams(text)})`
  return idsOf([...made])
}

test('returns the newest feeds first when a search matches many rows', async () => {
  const [alice, bob] = [await person(), await person()]
  const ids = await insertFeeds(
    alice.id,
    Array.from({ length: 60 }, (_, n) => `marmalade ${n}`),
  )
  const [hers] = (await insertFeeds(bob.id, ['marmalade of mine'])) as [number]
  await sql`analyze feed_search`
  const newestFirst = [hers, ...ids.toReversed()]
  const listed = async (query: string) => idsOf((await guest('GET', `/feeds?${query}`)).body.feeds)
  assert.deepEqual(await listed('search=armala&limit=20'), newestFirst.slice(0, 20))
  assert.deepEqual(await listed(`search=armala&limit=20&after=${newestFirst[19]}`), newestFirst.slice(20, 40))
  assert.deepEqual(await listed(`search=armala&limit=50&after=${newestFirst[19]}`), newestFirst.slice(20))
  assert.deepEqual(await listed('search=marmalade+7'), [ids[7]])

  const managed = async (query: string) => {
    const { data, ...rest } = (await as(admin, 'GET', `/admin/feeds?q=armala&${query}`)).body
    return { ids: idsOf(data), ...rest }
  }
  assert.deepEqual(await managed('limit=10'), { ids: newestFirst.slice(0, 10), total: 11, more: true })
  assert.deepEqual(await managed('limit=10&page=3'), {
    ids: newestFirst.slice(20, 30),
    total: 31,
    more: true,
  })
  assert.deepEqual(await managed(`limit=10&after=${newestFirst[9]}`), {
    ids: newestFirst.slice(10, 20),
    total: 11,
    more: true,
  })
  assert.deepEqual(await managed('limit=10&page=7'), { ids: newestFirst.slice(60), total: 61 })
  assert.deepEqual(await managed('limit=5&order=asc'), { ids: ids.slice(0, 5), total: 61 })
  assert.deepEqual(await managed(`user_id=${bob.id}`), { ids: [hers], total: 1 })
})

test('returns the exact name first when a search matches many users', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `walrus${n + 1}`)
  const made: { id: number }[] = []
  for (const name of names)
    made.push(
      ...(await sql<{ id: number }[]>`
        insert into users (name, name_key, name_grams) values (${name}, ${name}, ${grams(name)}) returning id`),
    )
  await sql`insert into user_counts (user_id) select unnest(${idsOf(made)}::bigint[])`
  const [whole] = await sql<[{ id: number }]>`
    update users set name = 'walrus', name_key = 'walrus' where id = ${made[3]!.id} returning id`
  await sql`analyze users`
  const rest = idsOf(made)
    .toReversed()
    .filter((id) => id !== whole.id)
  const listed = async (query: string) =>
    idsOf((await guest('GET', `/user/search?keyword=walrus&${query}`)).body)
  assert.deepEqual(await listed('limit=10'), [whole.id, ...rest.slice(0, 9)])
  assert.deepEqual(await listed('limit=10&offset=10'), rest.slice(9, 19))
  assert.deepEqual(await listed(`limit=10&after=${whole.id}`), rest.slice(0, 10))
  assert.deepEqual(await listed(`limit=10&after=${rest[9]}`), rest.slice(10, 20))
  assert.deepEqual(await listed(`limit=30&after=${rest[19]}`), rest.slice(20))
  assert.deepEqual(
    (await guest('GET', '/user/search?keyword=walrus40')).body.map(({ name }: { name: string }) => name),
    ['walrus40'],
  )

  const { data, ...totals } = (await as(admin, 'GET', '/admin/users?q=walrus&limit=10')).body
  assert.deepEqual(idsOf(data), idsOf(made).toReversed().slice(0, 10))
  assert.deepEqual(totals, { total: 11, more: true })
  const next = (await as(admin, 'GET', `/admin/users?q=walrus&limit=10&after=${data[9].id}`)).body.data
  assert.deepEqual(idsOf(next), idsOf(made).toReversed().slice(10, 20))
  assert.equal((await as(admin, 'GET', '/admin/users?q=walrus&limit=10&page=4')).body.total, 40)
  assert.equal((await as(admin, 'GET', '/admin/users?q=walrus&sort=name&limit=10')).body.total, 40)
})
