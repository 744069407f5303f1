import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { memorySource, type Rows } from '#test/fixtures/memory-source.ts'
import { createWorld } from '#test/world.ts'
import { PLAN } from '../plan.ts'
import { NO_FILES } from './files.ts'
import { patientTransactions, runPlan } from './run.ts'
import { beginRun, finishRun } from './state.ts'
import type { TableImport } from './table.ts'

const { ctx, sql } = await createWorld()

const find = (name: string): TableImport => {
  const table = PLAN.find((part) => 'table' in part && part.table === name)
  assert.ok(table && 'table' in table)
  return table
}

async function bring(tables: string[], there: Rows): Promise<void> {
  await beginRun(sql, 'memory', {})
  await runPlan(tables.map(find), {
    ctx,
    source: memorySource(there),
    transactions: patientTransactions(sql),
    options: { waiting: 'keep', oldWallets: false, oldPrices: false, lockDisablers: false, dryRun: false },
    files: NO_FILES,
    things: {
      users: async (tx, ids) => {
        const rows = await tx<{ id: number }[]>`select id from users where id = any(${ids})`
        return new Map(rows.map(({ id }) => [id, id]))
      },
    },
    again: false,
    progress() {},
  })
  await finishRun(sql)
}

const PEOPLE = [1, 2].map((id) => ({ id, name: `person${id}` }))

/** Kinds of names that are unique in Kith: table and column of the source, and those of Kith. */
const KINDS: [table: string, column: string, target: string, key: string, more?: object][] = [
  ['news_cates', 'name', 'news_categories', 'name_key'],
  ['tag_categories', 'name', 'tag_categories', 'name_key'],
  ['tags', 'name', 'tags', 'name_key'],
  ['group_categories', 'name', 'group_categories', 'name_key', { status: 1 }],
  ['sensitives', 'word', 'sensitive_words', 'word_key'],
  ['areas', 'name', 'areas', 'name_key'],
  ['im_group', 'im_group_id', 'im_groups', 'provider_id', { user_id: 1 }],
  ['feed_topics', 'name', 'feed_topics', 'name_key', { creator_user_id: 1, status: 'passed' }],
  ['topics', 'name', 'question_topics', 'name_key'],
  ['users', 'name', 'users', 'name_key'],
  ['users', 'email', 'users', 'email_key', { name: null }],
  ['users', 'phone', 'users', 'phone', { name: null }],
]

const VALUES: Record<string, [string, string]> = {
  email: ['a@example.org', 'b@example.org'],
  phone: ['13800000001', '13800000002'],
}

beforeEach(async () => {
  for (const table of ['imports', 'import_chunks', 'import_facts', 'import_notes', 'import_targets'])
    await sql`delete from ${sql(table)}`
  for (const table of ['tags', ...new Set(KINDS.map(([, , target]) => target))])
    await sql`delete from ${sql(table)}`
})

for (const [table, column, target, key, more] of KINDS)
  for (const way of ['swap', 'inherit'] as const)
    test(`lets rows of ${table} ${way} their ${column} between two runs`, async () => {
      const part = find(table)
      const { width } = part
      // Puts the rows into ranges of their own.
      part.width = 1
      try {
        const [a, b] = VALUES[column] ?? ['a', 'b']
        const row = (id: number, value: string) => ({ id, ...more, [column]: value })
        const tables = table === 'users' ? ['users'] : ['users', table]
        const users = table === 'users' ? {} : { users: PEOPLE }
        const read = async () =>
          Object.fromEntries(
            (
              await sql<{ id: number; key: string }[]>`
                select id, ${sql(key)} as key from ${sql(target)} where id in (1, 2) order by id`
            ).map(({ id, key }) => [id, key]),
          )
        await bring(tables, { ...users, [table]: [row(1, a), row(2, b)] })
        assert.deepEqual(await read(), { 1: a, 2: b })
        await bring(tables, { ...users, [table]: way === 'swap' ? [row(1, b), row(2, a)] : [row(2, a)] })
        const { 1: first, 2: second } = await read()
        assert.equal(second, a)
        if (way === 'swap') assert.equal(first, b)
        else assert.notEqual(first, a)
      } finally {
        if (width === undefined) delete part.width
        else part.width = width
      }
    })
