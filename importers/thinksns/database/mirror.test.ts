import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { memorySource, type Rows } from '#test/fixtures/memory-source.ts'
import { createWorld } from '#test/world.ts'
import { NO_FILES } from './files.ts'
import { patientTransactions, runPlan } from './run.ts'
import { beginRun, finishRun } from './state.ts'
import { defineTable } from './table.ts'
import { all, existing, freedNames, released, removed, replaced } from './vanishing.ts'
import { upsert } from './write.ts'

const { ctx, sql } = await createWorld()
const WIDTH = 10

const topics = defineTable({
  table: 'topics',
  by: 'id',
  width: WIDTH,
  into: null,
  key: ['id'],
  gone: all(freedNames('tag_categories'), removed('tag_categories')),
  reread: 'whole',
  states: existing('topics', 'tag_categories'),
  columns: { id: 'int', name: 'text' },
  async write(tx, rows) {
    const given = rows.map((row) => ({ ...row, name_key: row.name }))
    await upsert(tx, 'tag_categories', { id: 'bigint', name: 'text', name_key: 'text' }, given)
  },
})

const links = defineTable({
  table: 'links',
  by: 'id',
  width: WIDTH,
  into: null,
  key: ['id'],
  gone: all(released('pins'), replaced('import_files')),
  reads: { topics: ['topic_id'] },
  columns: { id: 'int', topic_id: 'int' },
  async write(tx, rows, batch) {
    const there = await tx<{ id: number }[]>`select id from tag_categories`
    const given = rows.flatMap((row) => {
      if (there.some(({ id }) => id === row.topic_id)) return [{ id: row.id, path: `${row.id}`, mime: 'a/b' }]
      batch.leaveOut(row, 'the topic no longer exists')
      return []
    })
    await upsert(tx, 'import_files', { id: 'bigint', path: 'text', mime: 'text' }, given)
  },
})

async function bring(there: Rows, { until = Number.POSITIVE_INFINITY } = {}): Promise<string[]> {
  const read: string[] = []
  let steps = 0
  await beginRun(sql, 'memory', {})
  await runPlan([topics, links], {
    ctx,
    source: memorySource(there, read),
    transactions: patientTransactions(sql),
    options: { waiting: 'keep', oldWallets: false, oldPrices: false, lockDisablers: false, dryRun: false },
    files: NO_FILES,
    things: {},
    again: false,
    progress() {
      steps += 1
      if (steps > until) throw new Error('killed')
    },
  })
  await finishRun(sql)
  return read
}

const named = async () =>
  Object.fromEntries(
    (
      await sql<{ id: number; name: string }[]>`select id, name_key as name from tag_categories order by id`
    ).map(({ id, name }) => [id, name]),
  )
const linked = async () =>
  (await sql<{ id: number }[]>`select id from import_files order by id`).map(({ id }) => id)

const FIRST: Rows = {
  topics: [
    { id: 1, name: 'a' },
    { id: 11, name: 'b' },
  ],
  links: [
    { id: 5, topic_id: 1 },
    { id: 15, topic_id: 11 },
    { id: 25, topic_id: 31 },
  ],
}

beforeEach(async () => {
  await sql`delete from import_files`
  await sql`delete from tag_categories`
  for (const table of ['imports', 'import_chunks', 'import_facts', 'import_holds', 'import_notes'])
    await sql`delete from ${sql(table)}`
})

test('reads nothing again when nothing changed', async () => {
  assert.equal((await bring(FIRST)).length, 5)
  assert.deepEqual(await bring(FIRST), [])
})

test('frees all unique names first, so that rows of different ranges may swap them', async () => {
  await bring(FIRST)
  await bring({
    ...FIRST,
    topics: [
      { id: 1, name: 'b' },
      { id: 11, name: 'a' },
    ],
  })
  assert.deepEqual(await named(), { 1: 'b', 11: 'a' })
})

test('gives a name to another row when its former owner vanished', async () => {
  await bring(FIRST)
  await bring({ topics: [{ id: 11, name: 'a' }], links: [{ id: 15, topic_id: 11 }] })
  assert.deepEqual(await named(), { 11: 'a' })
})

test('reads rows again that refer to what vanished or came later, also after an interruption', async () => {
  await bring(FIRST)
  assert.deepEqual(await linked(), [5, 15])
  const later = {
    ...FIRST,
    topics: [
      { id: 11, name: 'b' },
      { id: 31, name: 'c' },
    ],
  }
  const withoutTopic = { ...later, links: FIRST.links ?? [] }
  await assert.rejects(bring(withoutTopic, { until: 4 }), /killed/)
  assert.deepEqual(
    await bring(withoutTopic).then((read) => read.filter((each) => each.startsWith('links'))),
    ['links 0', 'links 2'],
  )
  assert.deepEqual(await linked(), [15, 25])
})

test('releases the hold of a payment whose row vanished', async () => {
  await bring(FIRST)
  await sql`
    insert into import_holds (subject_type, subject_id, owner_id, currency, amount, kind, refund_kind, given_back)
    values ('pins', 5, 1, 'points', 21, 'pin', 'pin:refunded', false)`
  await bring({ ...FIRST, links: [{ id: 15, topic_id: 11 }] })
  assert.equal((await sql`select from import_holds`).count, 0)
})
