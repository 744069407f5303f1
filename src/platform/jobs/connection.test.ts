import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { openJobsPool } from './connection.ts'

const { connection, sql } = await createWorld()

/** A machine of its own that leads to the test database, which listens on a socket alone. */
async function machine() {
  let opened = 0
  const server = createServer((socket) => {
    opened += 1
    const inner = connect(`${connection.host}/.s.PGSQL.${connection.port}`)
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
    socket.pipe(inner).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, opened: () => opened }
}

test('of several machines the one that only reads is left for the next', async () => {
  // The first that is asked whether it only reads says so.
  await sql.unsafe(`
    create sequence asked;
    create function public.pg_is_in_recovery() returns boolean language sql as 'select nextval(''public.asked'') = 1';
    alter database ${connection.database} set search_path = public, pg_catalog`)
  const [one, other] = [await machine(), await machine()]
  const url = `postgres://${connection.user}@${one.address},${other.address}/${connection.database}`
  const pool = openJobsPool(url, 1)
  await assert.rejects(pool.query('select 1'), /this database only reads/)
  assert.deepEqual([one.opened(), other.opened()], [1, 0])
  assert.equal((await pool.query('select 1')).rowCount, 1)
  assert.deepEqual([one.opened(), other.opened()], [1, 1])
  await pool.end()
})
