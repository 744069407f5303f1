import assert from 'node:assert/strict'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { StartFault, startFault } from '#platform/start-fault.ts'
import { openMachine } from '#test/fixtures/machines.ts'
import { createWorld } from '#test/world.ts'
import { checkDatabase, checkDataDir, findUnfitness, listenFault } from './start-checks.ts'

const { connection, sql } = await createWorld()
const folder = await files.mkdtemp(join(tmpdir(), 'kith-checks-'))
after(() => files.rm(folder, { recursive: true, force: true }))

test('converts an error of `listen`, but not of `open`, into a start fault', () => {
  const target = { host: '127.0.0.1', port: 80, metricsHost: '127.0.0.1', metricsPort: 0 }
  const refused = Object.assign(new Error('refused'), { code: 'EACCES', syscall: 'open' })
  assert.equal(listenFault(refused, target), refused)
  assert.ok(listenFault({ code: 'EACCES', syscall: 'listen', port: 80 }, target) instanceof StartFault)
})

test('rejects a file as the data directory', async () => {
  await checkDataDir({ dataDir: folder, databaseUrl: undefined })
  await checkDataDir({ dataDir: join(folder, 'not', 'yet'), databaseUrl: undefined })
  assert.deepEqual(await files.readdir(folder), [])
  const file = join(folder, 'a-file')
  await files.writeFile(file, '')
  for (const dataDir of [file, join(file, 'below')])
    await assert.rejects(
      checkDataDir({ dataDir, databaseUrl: undefined }),
      /: it is a file, or its path contains one: /,
    )
})

test('rejects a data directory of another OS user unless DATABASE_URL is set', async (t) => {
  const user = process.getuid?.()
  if (user === undefined) return t.diagnostic('files have no owner here')
  const dataDir = join(folder, 'owned')
  await files.mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true })
  await files.writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '18\n')
  await checkDataDir({ dataDir, databaseUrl: undefined })
  t.mock.method(process as Required<typeof process>, 'getuid', () => user + 1)
  await assert.rejects(
    checkDataDir({ dataDir, databaseUrl: undefined }),
    new RegExp(`belongs to the user with id ${user}, but this process runs as ${user + 1}: `),
  )
  await checkDataDir({ dataDir, databaseUrl: 'postgres://a@b/c' })
})

test('reports a full disk at the start', async (t) => {
  const disk = { blocks: 1000, bavail: 10, bsize: 4096 }
  t.mock.method(files, 'statfs', async () => disk)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  await assert.rejects(
    checkDataDir({ dataDir: folder, databaseUrl: undefined }),
    /no space is left on its disk: /,
  )
  disk.blocks = 0
  await checkDataDir({ dataDir: folder, databaseUrl: undefined })
})

test('explains why Kith cannot use a reachable database', async (t) => {
  const fit = { version: 15, encoding: 'UTF8', isReplica: false, mayCreate: true, isNew: true }
  assert.equal(findUnfitness(fit), undefined)
  assert.equal(findUnfitness({ ...fit, mayCreate: false, isNew: false }), undefined)
  for (const [found, told] of [
    [{ version: 14 }, /^PostgreSQL 14 is too old: 15 or later is needed$/],
    [{ encoding: 'SQL_ASCII' }, /createdb --encoding=UTF8/],
    [{ isReplica: true }, /^this is a read-only replica/],
    [{ mayCreate: false }, /make it the owner of the database$/],
  ] as const)
    assert.match(findUnfitness({ ...fit, ...found }) ?? '', told)

  const { address } = await openMachine(connection)
  const bytes = `${connection.database}_bytes`
  await sql.unsafe(`create database ${bytes} template template0 encoding 'SQL_ASCII' locale 'C'`)
  t.after(() => sql.unsafe(`drop database ${bytes} with (force)`))
  await checkDatabase(`postgres://${connection.user}@${address}/${connection.database}`)
  await assert.rejects(
    checkDatabase(`postgres://${connection.user}@${address}/${bytes}`),
    (error) => error instanceof StartFault && /^DATABASE_URL: .*SQL_ASCII/.test(error.message),
  )
})

test('rejects a file in the place of the uploads', async () => {
  const dataDir = await files.mkdtemp(join(folder, 'uploads-'))
  await files.writeFile(join(dataDir, 'uploads'), '')
  const check = (storage: 'local' | 's3') => checkDataDir({ dataDir, databaseUrl: undefined, storage })
  await assert.rejects(check('local'), /uploads is a file, but must be a folder: move it away/)
  await check('s3')
})

test('waits for a database that does not answer yet, and then reports it', async () => {
  let asked = 0
  const closing = createServer((socket) => {
    asked += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => closing.once('listening', resolve))
  const { port } = closing.address() as AddressInfo
  const url = `postgres://kith@127.0.0.1:${port}/kith`
  await assert.rejects(checkDatabase(url), StartFault)
  assert.equal(asked, 1)
  await assert.rejects(checkDatabase(url, 1500), /DATABASE_URL: /)
  assert.ok(asked >= 3, String(asked))
  closing.close()
})

test('explains that the database was too slow for a start', () => {
  for (const code of ['57014', '55P03', '57P03', 'CONNECT_TIMEOUT']) {
    const error = Object.assign(new Error('canceling statement due to statement timeout'), { code })
    assert.match(String(startFault(error, '/data')), /^StartFault: The database answered too slowly/)
  }
})
