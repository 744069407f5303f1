import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { readPersonal } from '#contracts/personal-data.ts'
import { feedViewCounts } from '#modules/feeds/index.ts'
import { viewsOf } from '#modules/groups/index.ts'
import { answerViewCounts, questionViewCounts } from '#modules/questions/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import type { Flushes } from '#test/fixtures/view-flushes.ts'
import { SITE } from '../src/site.ts'
import { postWorld } from './fixtures/posts.ts'

const { world, as, person, sql, group, member, post } = await postWorld()
const { ask, answer } = questionsOf(world)
const { ctx } = world
const owner = await person()
const groupId = await group(owner)
const asked = await ask(owner)

type Row = { views: number; xmin: string }

const kinds = [
  {
    table: 'feeds',
    column: 'feed_view_count',
    file: 'feeds',
    counts: feedViewCounts,
    views: { table: 'feed_views', key: 'feed_id' },
    create: async () =>
      (
        await as(owner, 'POST', '/feeds', {
          feed_content: 'hello',
          feed_from: 1,
          feed_mark: `v${Math.random()}`,
        })
      ).body.id as number,
    path: (id: number) => `/feeds/${id}`,
  },
  {
    table: 'questions',
    column: 'views_count',
    file: 'questions',
    counts: questionViewCounts,
    views: { table: 'question_views', key: 'question_id' },
    create: () => ask(owner),
    path: (id: number) => `/questions/${id}`,
  },
  {
    table: 'answers',
    column: 'views_count',
    file: 'answers',
    counts: answerViewCounts,
    views: { table: 'answer_views', key: 'answer_id' },
    create: () => answer(owner, asked),
    path: (id: number) => `/question-answers/${id}`,
  },
  {
    table: 'group_posts',
    column: 'views_count',
    file: 'group-posts',
    counts: viewsOf,
    views: { table: 'group_post_views', key: 'post_id' },
    create: async () => post(await member(groupId, owner), groupId),
    path: (id: number) => `/groups/${groupId}/posts/${id}`,
  },
] as const

for (const { table, column, file, counts, views, create, path } of kinds) {
  const contentRow = async (id: number): Promise<Row> => {
    const [row] = await sql<Row[]>`
      select ${sql(column)} as views, xmin::text as xmin from ${sql(table)} where id = ${id}`
    return { ...row! }
  }
  const written = async (id: number) =>
    (
      await sql<{ views: number }[]>`select views from ${sql(views.table)} where ${sql(views.key)} = ${id}`
    ).map((row) => row.views)

  test(`writes views of ${table} without a new version of the content's row`, async () => {
    const id = await create()
    const before = await contentRow(id)
    for (const total of [2, 3]) {
      counts(ctx).add(total === 2 ? [id, id] : [id])
      await counts(ctx).flush()
      assert.deepEqual(await written(id), [total])
    }
    assert.deepEqual(await contentRow(id), before)
  })

  test(`adds views of ${table} to those that an import or an earlier version wrote`, async () => {
    const id = await create()
    counts(ctx).add([id, id])
    await counts(ctx).flush()
    await sql`update ${sql(table)} set ${sql(column)} = 40 where id = ${id}`
    const { body } = await as(owner, 'GET', path(id))
    assert.equal(body[column], 43)
    const userId = (await sql<{ user_id: number }[]>`select user_id from ${sql(table)} where id = ${id}`)[0]!
      .user_id
    const spec = SITE.personalData.find((each) => each.file === file)!
    const exported = []
    for await (const rows of readPersonal(ctx, spec, { userId, language: 'en' })) exported.push(...rows)
    const row = exported.map(({ shown }) => shown as Record<string, number>).find((each) => each.id === id)
    assert.equal(row?.[column], 42)
  })

  test(`loses no view of ${table} when processes flush at once`, async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, create))
    const nodes = Array.from({ length: 6 }, () => ({ ...ctx, state: new Map(), onClose: [] }) as typeof ctx)
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        nodes.map((node, index) => {
          counts(node).add(index % 2 === 0 ? ids : ids.toReversed())
          return counts(node).flush()
        }),
      )
    for (const id of ids) assert.deepEqual(await written(id), [30])
  })

  test(`ignores views of deleted ${table}`, async () => {
    const id = await create()
    counts(ctx).add([id, 9_007_199_254_740_991])
    await counts(ctx).flush()
    assert.equal(counts(ctx).pending(9_007_199_254_740_991), 0)
    assert.deepEqual(await written(id), [1])
  })
}

test('sorts questions in the console by all views', async () => {
  const admin = await person({ roles: ['founder'] })
  const [first, second] = [await ask(owner), await ask(owner)]
  await sql`update questions set views_count = 1000 where id = ${second}`
  questionViewCounts(ctx).add(Array.from({ length: 1001 }, () => first))
  await questionViewCounts(ctx).flush()
  const list = async (query: string) =>
    (await as(admin, 'GET', `/admin/questions?sort=views_count${query}`)).body.data.map(
      ({ id }: { id: number }) => id,
    )
  assert.deepEqual((await list('')).slice(0, 2), [first, second])
  assert.equal((await list(`&after=${first}`))[0], second)
})

test('lets two processes flush views in opposite orders without a deadlock', async () => {
  const rounds = 200
  const { table, key } = kinds[0].views
  const ids: number[] = []
  for (let n = 0; n < 20; n += 1) ids.push(await kinds[0].create())
  // Without the rows, a missing lock would first show as a duplicate key.
  await sql`insert into ${sql(table)} (${sql(key)}, views) select id, 0 from unnest(${ids}::bigint[]) as f (id)`
  const deadlocks = async () =>
    (
      await sql<
        { n: number }[]
      >`select deadlocks as n from pg_stat_database where datname = current_database()`
    )[0]!.n
  const before = await deadlocks()
  const flushes = [ids, ids.toReversed()].map((ordered) => {
    const input: Flushes = {
      connection: world.connection,
      tables: [{ table, key, content: 'feeds' }],
      ids: ordered,
      rounds,
    }
    return fork(new URL('fixtures/view-flushes.ts', import.meta.url), [JSON.stringify(input)])
  })
  const exits = flushes.map((child) => once(child, 'exit'))
  await Promise.all(flushes.map((child) => once(child, 'message')))
  for (const child of flushes) child.send('start')
  for (const exit of exits) assert.deepEqual(await exit, [0, null])
  const written = await sql<{ views: number }[]>`
    select views from ${sql(table)} where ${sql(key)} = any(${ids}::bigint[])`
  assert.deepEqual(
    written.map(({ views }) => views),
    ids.map(() => 2 * rounds),
  )
  assert.equal((await deadlocks()) - before, 0)
})
