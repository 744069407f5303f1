import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Sql } from '#platform/database'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { createWorld } from '#test/world.ts'
import { auditLedger, writeCheckpoints } from './audit.ts'

const repair = await readFile('migrations/0150_ledger_checkpoints.sql', 'utf8')

async function openNewSite() {
  const world = await createWorld()
  const { give } = await walletsOf(world)
  await world.sql`alter sequence ledger_order_ids restart`
  const ada = await world.person()
  return { sql: world.sql, give: (amount: number) => give(ada, 'points', amount) }
}

const writeEarlyCheckpoints = (sql: Sql) => sql`
  insert into ledger_checkpoints (owner_id, currency, posting_id, balance)
  select owner_id, currency, 1, 0
  from unnest(array[-1, -2, -3]) owner_id, unnest(array['points', 'wallet']) currency`

const isBalanced = async (sql: Sql) => (await auditLedger(sql)).balanced

test('passes the audit when a checkpoint precedes the first posting (money-18)', async () => {
  const { sql, give } = await openNewSite()
  await writeCheckpoints(sql)
  await give(70)
  const [first] = await sql<{ id: number }[]>`select min(id) as id from ledger_postings`
  assert.equal(first?.id, 1)
  assert.deepEqual((await auditLedger(sql)).drift, [])
  assert.equal(await isBalanced(sql), true)
  await writeCheckpoints(sql)
  await give(5)
  assert.equal(await isBalanced(sql), true)
})

test('repairs checkpoints that omit the first posting', async () => {
  const { sql, give } = await openNewSite()
  await writeEarlyCheckpoints(sql)
  await give(70)
  await writeCheckpoints(sql)
  await give(5)
  assert.equal(await isBalanced(sql), false)
  await sql.unsafe(repair)
  assert.deepEqual((await auditLedger(sql)).drift, [])
  assert.equal(await isBalanced(sql), true)
  await sql.unsafe(repair)
  assert.equal(await isBalanced(sql), true)
})

test('repairs checkpoints written before any posting', async () => {
  const { sql, give } = await openNewSite()
  await writeEarlyCheckpoints(sql)
  await sql.unsafe(repair)
  await give(70)
  assert.equal(await isBalanced(sql), true)
})

test('still reports a checkpoint with a wrong balance after the repair', async () => {
  const { sql, give } = await openNewSite()
  await give(70)
  await writeCheckpoints(sql)
  await sql`update ledger_checkpoints set balance = balance + 1 where balance <> 0`
  await sql.unsafe(repair)
  assert.equal((await auditLedger(sql)).drift[0]?.check, 'ledger_checkpoints.balance')
})
