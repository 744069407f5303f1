import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '#platform/errors.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { openDatabase } from './database.ts'
import { createScope, createWriterScope, runInScope } from './fair-semaphore.ts'

const SIZE = 3
const { connection, sql: other } = await createWorld()

test('rejects writes when abandoned statements occupy too many backends', async () => {
  // `hang` ignores the statement timeout, like a commit that waits for a synchronous standby.
  await other.unsafe(`
    create function hang() returns void language plpgsql as $$
    begin perform pg_sleep(600); exception when query_canceled then perform pg_sleep(600); end $$`)
  const sql = openDatabase({ connection, poolSize: SIZE, statementTimeoutMs: 100 })
  const write = <T>(work: () => Promise<T>) => runInScope(createWriterScope(), work)
  const hang = () => write(async () => void (await sql`select hang()`))
  const hanging = async () => {
    const [row] = await other<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and query = 'select hang()' and state = 'active'`
    return row.count
  }
  while (sql.cutBackends() < SIZE)
    await Promise.allSettled(Array.from({ length: SIZE - sql.cutBackends() }, hang))
  assert.equal(await hanging(), SIZE)
  const refused = [
    hang,
    () => write(async () => void (await sql`select 1`)),
    () => write(() => sql.begin(async () => {})),
  ]
  for (const work of refused) await assert.rejects(work, Busy)
  assert.equal(await hanging(), SIZE)
  assert.equal((await runInScope(createScope(), async () => sql`select 1`)).length, 1)

  await other`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query = 'select hang()'`
  await until(() => sql.cutBackends() === 0, 'the end of the statements')
  assert.equal((await write(async () => sql`select 1`)).length, 1)
  await sql.end()
})
