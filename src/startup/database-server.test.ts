import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config'
import { createLog } from '#platform/observability'
import { openMachine } from '#test/fixtures/machines.ts'
import { findFreePort } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'
import { openDatabaseServer } from './database-server.ts'

const { connection } = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'kith-database-server-'))
after(() => rm(folder, { recursive: true, force: true }))
const { address } = await openMachine(connection)
const nowhere = `127.0.0.1:${await findFreePort()}`
const urlOf = (hosts: string) => `postgres://${connection.user}@${hosts}/${connection.database}`
const open = (env: Record<string, string>) =>
  openDatabaseServer(readConfig({ DATA_DIR: join(folder, 'data'), ...env }), createLog({ level: 'silent' }))

test('reports an unusable database or data directory before creating files', async () => {
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

test('sends only requests through a configured pooler', async () => {
  assert.deepEqual(await open({ DATABASE_URL: urlOf(address) }), { connection: urlOf(address) })
  const pooler = await openMachine(connection)
  assert.deepEqual(await open({ DATABASE_URL: urlOf(pooler.address), DATABASE_DIRECT_URL: urlOf(address) }), {
    connection: urlOf(address),
    requests: urlOf(pooler.address),
  })
  await assert.rejects(
    open({ DATABASE_URL: urlOf(nowhere), DATABASE_DIRECT_URL: urlOf(address) }),
    /^StartFault: DATABASE_URL: nothing answers at /,
  )
})

test('accepts the form of libpq that names the folder of a socket in the query', async () => {
  const { host, port, user, database } = connection
  await open({ DATABASE_URL: `postgres://${user}@/${database}?host=${host}&port=${port}` })
  await assert.rejects(
    open({ DATABASE_URL: `postgres://${user}@/${database}?host=${folder}&port=5433` }),
    (error: Error) => error.message.includes(`there is no socket of PostgreSQL at ${folder}:5433: `),
  )
})
