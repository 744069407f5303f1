import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { NO_FILES } from './files.ts'
import { patientTransactions, runPlan, withoutTrace } from './run.ts'
import type { Source } from './source.ts'
import { beginRun, closeImport, finishRun, listReasons, listTotals, readNotes } from './state.ts'
import { defineTable } from './table.ts'
import { KEPT } from './vanishing.ts'

const { ctx, sql } = await createWorld()

const sourceOf = (rows: number, said = rows) =>
  ({
    tables: new Map([['things', new Set(['id'])]]),
    chunks: async () => [{ chunk: 0, rows: said, checksum: `${said}` }],
    async *read() {
      yield Array.from({ length: rows }, (_, n) => ({ id: n + 1 }))
    },
  }) as unknown as Source

const things = defineTable({
  table: 'things',
  by: null,
  into: null,
  key: ['id'],
  gone: KEPT,
  columns: { id: 'int' },
  async write(_tx, [first, second], batch) {
    if (first) {
      batch.mend(first, 'without a name')
      batch.leaveOut(first, 'is gone')
      batch.merge(first, 'said twice')
    }
    if (second) batch.merge(second, 'said twice')
  },
})

const bring = (source: Source) =>
  runPlan([things], {
    ctx,
    source,
    transactions: patientTransactions(sql),
    options: { waiting: 'keep', oldWallets: false, oldPrices: false, lockDisablers: false, dryRun: false },
    files: NO_FILES,
    things: {},
    again: false,
    progress() {},
  })

test('counts each row under its first reported outcome', async () => {
  await bring(sourceOf(3))
  assert.deepEqual(
    [...(await listTotals(sql))],
    [{ table: 'things', rows: 3, imported: 1, merged: 1, left_out: 1, mended: 1 }],
  )
  assert.deepEqual((await listReasons(sql)).map(({ outcome, reason }) => `${outcome}: ${reason}`).sort(), [
    'left out: is gone',
    'mended: without a name',
    'merged: said twice',
  ])
  const pages = await Array.fromAsync(readNotes(sql))
  assert.deepEqual(
    pages
      .flat()
      .map(({ row }) => row)
      .sort(),
    ['1', '1', '2'],
  )
})

test('stops the import when it reads fewer rows than it counted', async () => {
  await assert.rejects(bring(sourceOf(2, 4)), /has 4 rows in range 0, but 2 were read/)
  assert.equal((await listTotals(sql))[0]?.rows, 3)
})

test('rolls back a dry run', async () => {
  const add = () =>
    withoutTrace(sql, (run) =>
      run(async (tx) => void (await tx`insert into tag_categories (name, name_key) values ('a', 'a')`)),
    )
  await add()
  await add()
  await assert.rejects(
    withoutTrace(sql, async () => {
      throw new Error('for a reason')
    }),
    /for a reason/,
  )
})

test('closes an import only after a complete run', async () => {
  const close = () => closeImport(sql, 'old')
  assert.equal(await close(), false)
  await beginRun(sql, 'old', {})
  assert.equal(await close(), false)
  await finishRun(sql)
  assert.equal(await closeImport(sql, 'another'), false)
  assert.equal(await close(), true)
  assert.equal(await close(), false)
})
