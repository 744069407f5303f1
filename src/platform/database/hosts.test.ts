import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMachine } from '#test/fixtures/machines.ts'
import { createWorld } from '#test/world.ts'
import { openDatabase } from './database.ts'
import { chooseHost, hostsOf } from './hosts.ts'

const { connection } = await createWorld()

test('leaves a machine once, however many of its connections fail, and never the only one', () => {
  const told: string[] = []
  const hosts = hostsOf('postgres://kith@one:1,two:2/kith')
  const choice = chooseHost(hosts, ({ host }) => told.push(host))
  choice.leave(0)
  choice.leave(0)
  assert.deepEqual([choice.at(), choice.current().host, told], [1, 'two', ['two']])
  const only = chooseHost(hosts.slice(0, 1), ({ host }) => told.push(host))
  only.leave(0)
  assert.deepEqual([only.at(), told], [0, ['two']])
})

test('stays with the first machine while it is not a replica', async () => {
  const [one, other] = [await openMachine(connection), await openMachine(connection)]
  const url = `postgres://${connection.user}@${one.address},${other.address}/${connection.database}`
  const sql = openDatabase({ connection: url, poolSize: 1, statementTimeoutMs: 60_000 })
  for (let time = 0; time < 3; time += 1) assert.equal((await sql`select 1`).length, 1)
  await sql.end()
  assert.deepEqual([one.opened(), other.opened()], [1, 0])
})
