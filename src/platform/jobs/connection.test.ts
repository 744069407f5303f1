import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'

const { connection, sql } = await createWorld()

test('of several machines the one that only reads is left for the next', async () => {
  // The first that is asked whether it only reads says so.
  await sql.unsafe(`
    create sequence asked;
    create function public.pg_is_in_recovery() returns boolean language sql as 'select nextval(''public.asked'') = 1';
    alter database ${connection.database} set search_path = public, pg_catalog`)
  const [one, other] = [await openMachine(connection), await openMachine(connection)]
  const url = `postgres://${connection.user}@${one.address},${other.address}/${connection.database}`
  const pool = openJobsPool(url, 1)
  await assert.rejects(pool.query('select 1'), /this database only reads/)
  assert.deepEqual([one.opened(), other.opened()], [1, 0])
  assert.equal((await pool.query('select 1')).rowCount, 1)
  assert.deepEqual([one.opened(), other.opened()], [1, 1])
  await pool.end()
})
