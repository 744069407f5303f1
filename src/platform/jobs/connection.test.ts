import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'

const { connection } = await createWorld()

test('replaces a connection when its server has become read-only', async () => {
  const machine = await openMachine(connection)
  const pool = openJobsPool(`postgres://${connection.user}@${machine.address}/${connection.database}`, 1)
  const client = await pool.connect()
  await client.query('set default_transaction_read_only = on')
  await assert.rejects(client.query('create table written ()'), { code: '25006' })
  // The pool never closes a connection in use, so only the handler of error 25006 can close the socket.
  await until(() => machine.open() === 0, 'the end of the connection')
  client.release()
  await pool.query('create table written ()')
  assert.equal(machine.opened(), 2)
  await pool.end()
})

test('times out when a server stops responding during the connection attempt', async () => {
  const machine = await openMachine(connection)
  machine.silence()
  const pool = openJobsPool(`postgres://${connection.user}@${machine.address}/${connection.database}`, 1)
  await assert.rejects(pool.query('select 1'), /timeout/)
  await until(() => machine.open() === 0, 'the end of the connection')
  machine.speak()
  assert.equal((await pool.query('select 1')).rowCount, 1)
  await pool.end()
})
