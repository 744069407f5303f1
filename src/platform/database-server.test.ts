import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { openDatabaseServer } from '#platform/database-server.ts'
import { createLog } from '#platform/observability'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { findFreePort } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const { connection } = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'kith-database-server-'))
after(() => rm(folder, { recursive: true, force: true }))
const { address } = await openMachine(connection)
const nowhere = `127.0.0.1:${await findFreePort()}`
const urlOf = (hosts: string) => `postgres://${connection.user}@${hosts}/${connection.database}`
const open = (env: Record<string, string>, options: { patienceMs?: number } = {}) =>
  openDatabaseServer(
    readConfig({ DATA_DIR: join(folder, 'data'), ...env }),
    createLog({ level: 'silent' }),
    options,
  )

test('reports an unusable database or data directory before creating anything', async () => {
  await assert.rejects(
    open({ DATABASE_URL: urlOf(nowhere) }),
    /^StartFault: DATABASE_URL: nothing answers at /,
  )
  const file = join(folder, 'a-file')
  await writeFile(file, '')
  await assert.rejects(
    open({ DATABASE_URL: urlOf(address), DATA_DIR: file }),
    /data directory \S+: it is a file/,
  )
  assert.deepEqual(await readdir(folder), ['a-file'])
})

test('uses the configured database past its pooler, on the machine that responds', async () => {
  assert.deepEqual(await open({ DATABASE_URL: urlOf(address) }), { connection: urlOf(address) })
  assert.deepEqual(await open({ DATABASE_URL: urlOf(`${nowhere},${address}`) }), {
    connection: urlOf(`${address},${nowhere}`),
  })
  assert.deepEqual(
    await open({ DATABASE_URL: 'postgres://pooler.example/kith', DATABASE_DIRECT_URL: urlOf(address) }),
    { connection: urlOf(address), pooled: 'postgres://pooler.example/kith' },
  )
})

test('waits for the primary of several machines while it breaks connections', async () => {
  const machine = await openMachine(connection)
  machine.cut()
  const opening = open({ DATABASE_URL: urlOf(`${nowhere},${machine.address}`) }).catch((error) => error)
  await until(() => machine.opened() > 1, 'a second attempt')
  machine.speak()
  assert.deepEqual(await opening, { connection: urlOf(`${machine.address},${nowhere}`) })
})

test('gives the reason when no primary answers in time, and at once when no attempt would succeed', async () => {
  const machine = await openMachine(connection)
  machine.cut()
  await assert.rejects(
    open({ DATABASE_URL: urlOf(`${nowhere},${machine.address}`) }, { patienceMs: 700 }),
    /^StartFault: DATABASE_URL: nothing answers at /,
  )
  assert.ok(machine.opened() > 1)
  machine.speak()
  const before = machine.opened()
  const unknown = `postgres://${connection.user}@${machine.address},${address}/unknown`
  await assert.rejects(open({ DATABASE_URL: unknown }), /there is no database unknown/)
  assert.equal(machine.opened(), before + 1)
})
