import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'

const { connection, sql } = await createWorld()

test('leaves a read-only machine for the next one', async () => {
  // The first host that is asked reports that it is read-only.
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

test('closes each connection to a standby while the primary is away', async () => {
  const other = await createWorld()
  const { connection: standby } = other
  await other.sql.unsafe(`
    create function public.pg_is_in_recovery() returns boolean language sql as 'select true';
    alter database ${standby.database} set search_path = public, pg_catalog`)
  const away = '127.0.0.1:1'
  const machine = await openMachine(standby)
  const pool = openJobsPool(`postgres://${standby.user}@${away},${machine.address}/${standby.database}`, 2)
  for (let n = 0; n < 40; n += 1) await assert.rejects(pool.query('select 1'))
  assert.equal(machine.opened(), 20)
  await until(() => machine.open() === 0, 'all connections to the standby are closed')
  await pool.end()
})

test('gives up on a machine that falls silent while it is being connected to', async () => {
  const machine = await openMachine(connection)
  machine.silence()
  const pool = openJobsPool(`postgres://${connection.user}@${machine.address}/${connection.database}`, 1)
  await assert.rejects(pool.query('select 1'), /timeout/)
  await until(() => machine.open() === 0, 'the end of the connection')
  machine.speak()
  assert.equal((await pool.query('select 1')).rowCount, 1)
  await pool.end()
})
