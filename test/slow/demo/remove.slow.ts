import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertWell, demoWorld } from '#test/fixtures/demo.ts'
import { createWorld, type World } from '#test/world.ts'
import { hasDemo } from '../../../demo/journal.ts'
import { removeRows } from '../../../demo/remove.ts'
import { diagnose } from '../../../src/doctor.ts'

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

const HERS = [
  'active_people',
  'feed_hots',
  'feed_search',
  'feeds',
  'last_active_days',
  'token_families',
  'tokens',
  'user_counts',
  'user_roles',
  'users',
]
const DELETED_LATER = ['files', 'file_uses', 'storage_nodes', 'period_sum_changes']

const [two, empty] = [await demoWorld({ people: 600, feeds: 1_200 }), await createWorld()]

test('generates demo users and feeds with correct counters', async () => {
  const [row] = await two.sql<[{ feeds: number; later: number }]>`
    select count(*) filter (where feed_mark like 'crowd %')::int as feeds,
      count(*) filter (where feed_mark like 'crowd %' and id > (select min(id) from feeds where feed_mark not like 'crowd %'))::int as later
    from feeds`
  assert.deepEqual(row, { feeds: 1_200, later: 0 })
  await assertWell(two)
})

test('keeps the data of other users when the demo is deleted', async () => {
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
  // Inserts statistics from before the demo. The removal must keep them, because they cannot be recounted.
  await sql`insert into daily_statistics (series, day, value) values ('active-people', '2020-02-02', 7)`
  // Truncates large tables, but deletes feeds row by row, because Ann's feed must stay.
  await removeRows(sql, { many: 1_000 })
  assert.deepEqual(
    [...(await sql`select series, day::text, value::int from daily_statistics`)],
    [{ series: 'active-people', day: '2020-02-02', value: 7 }],
  )
  await sql`delete from daily_statistics`
  await diagnose(sql, { mend: true, print: () => {} })
  await assertWell(two)
  assert.equal(await hasDemo(sql), false)
  assert.deepEqual(
    (await sql<{ name: string }[]>`select name from users`).map(({ name }) => name),
    ['Not_of_the_demo'],
  )
  assert.equal((await as(ann, 'GET', `/feeds/${own.body.id}`)).body.feed_content, 'My own')
  const after = await rowsOf(two)
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
  const more = Object.entries(after).filter(([table, count]) => count > (before[table] ?? 0))
  const left = more.filter(([table]) => !HERS.includes(table) && !DELETED_LATER.includes(table))
  assert.deepEqual(left, [])
  for (const [table, count] of more.filter(([table]) => HERS.includes(table)))
    assert.equal(count - (before[table] ?? 0), 1, table)
  assert.equal(after.users, 1)
  assert.equal(after.feeds, 1)
})
