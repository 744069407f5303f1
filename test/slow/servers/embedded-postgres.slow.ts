import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { after, afterEach, before, test } from 'node:test'
import pg from 'pg'
import { findDatabaseProcesses } from '#platform/database'
import { defaultSettings } from '#platform/database/embedded-postgres/settings.ts'
import {
  type EmbeddedConnection,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '#platform/database/embedded-postgres.ts'
import { killWatchdog, until } from '#test/fixtures/watchdogs.ts'
import { isAlive } from '#test/processes.ts'

const settings = { fsync: 'off', shared_buffers: '16MB' }
let root: string
let folder: string
const messages: string[] = []
const children: ChildProcess[] = []
const started: EmbeddedPostgres[] = []

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'kith-pg-test-'))
  await chmod(root, 0o755)
  folder = join(root, 'postgres')
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) await kill(child)
  }
  for (const running of started.splice(0)) await running.stop()
})

after(async () => {
  await rm(root, { recursive: true, force: true })
})

async function start(dataDir = folder): Promise<EmbeddedPostgres> {
  const log = (_level: string, message: string) => messages.push(message)
  const running = await startEmbeddedPostgres({ dataDir, settings, log })
  started.push(running)
  return running
}

async function query<T>(connection: EmbeddedConnection, text: string): Promise<T[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

async function startElsewhere(): Promise<{
  child: ChildProcess
  lines: Interface
  connection: EmbeddedConnection
  postmaster: number
}> {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('#platform/database/embedded-postgres.ts'))}
    process.on('SIGINT', () => console.log('interrupted'))
    const started = await startEmbeddedPostgres({
      dataDir: ${JSON.stringify(folder)}, settings: ${JSON.stringify(settings)}, log() {},
    })
    console.log(JSON.stringify(started.connection))
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout! })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => assert.fail('the other server did not start')),
  ])) as [string]
  return { child, lines, connection: JSON.parse(line), postmaster: await readPostmaster() }
}

async function readPostmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10)
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

test('creates a database that only its owner can reach', async () => {
  const first = await start()
  const [shown] = await query(
    first.connection,
    `select current_user as name, current_database() as database, current_setting('server_encoding') as encoding,
            current_setting('fsync') as fsync, current_setting('jit') as jit, current_setting('listen_addresses') as tcp,
            (select rolsuper from pg_roles where rolname = current_user) as super`,
  )
  assert.deepEqual(
    { ...(shown as object) },
    { name: 'kith', database: 'kith', encoding: 'UTF8', fsync: 'off', jit: 'off', tcp: '', super: false },
  )
  assert.equal((await stat(first.connection.host)).mode & 0o777, 0o700)
  await query(first.connection, "create table kept (word text); insert into kept values ('hello')")
  await Promise.all([first.stop(), first.stop()])
  assert.deepEqual(findDatabaseProcesses(join(folder, 'cluster')), [])

  const began = performance.now()
  const second = await start()
  assert.ok(performance.now() - began < 30_000, 'a second start creates nothing')
  assert.deepEqual(
    (await query<{ word: string }>(second.connection, 'select * from kept')).map((row) => row.word),
    ['hello'],
  )
  await second.stop()
})

test('stops the database despite an open transaction', async () => {
  const running = await start()
  const client = new pg.Client(running.connection)
  client.on('error', () => {})
  await client.connect()
  const open = client.query('begin; select pg_sleep(60)').catch((error: unknown) => error)
  const sleeping = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
  await until(async () => (await query(running.connection, sleeping)).length === 1, 'it does not begin')
  await running.stop()
  assert.ok((await open) instanceof Error)
})

test('rejects a second server on the same data folder', async () => {
  const { child } = await startElsewhere()
  await assert.rejects(start(), new RegExp(`process ${child.pid}\\) already uses`))
  await kill(child)
  const running = await start()
  await assert.rejects(start(), new RegExp(`process ${process.pid}\\) already uses`))
  await running.stop()
})

test('stops the database when the server is killed', async () => {
  const { child, connection, postmaster } = await startElsewhere()
  await query(connection, "insert into kept values ('written before the kill')")
  await kill(child)
  await until(() => !isAlive(postmaster), 'the database outlives its server')
  const running = await start()
  const [{ count }] = (await query<{ count: number }>(
    running.connection,
    "select count(*)::int from kept where word = 'written before the kill'",
  )) as [{ count: number }]
  assert.equal(count, 1)
  await running.stop()
})

test('stops an orphaned database on the next start', async () => {
  const elsewhere = await startElsewhere()
  const { child, postmaster } = elsewhere
  await killWatchdog(elsewhere)
  await kill(child)
  assert.ok(isAlive(postmaster))
  const running = await start()
  assert.ok(!isAlive(postmaster) || (await readPostmaster()) !== postmaster)
  assert.equal((await query(running.connection, 'select 1')).length, 1)
  await running.stop()
})

test('restarts the database after the server, the watchdog and PostgreSQL were killed', async () => {
  const elsewhere = await startElsewhere()
  const { child, connection, postmaster } = elsewhere
  await query(connection, "insert into kept values ('before the crash')")
  await killWatchdog(elsewhere)
  process.kill(postmaster, 'SIGKILL')
  await kill(child)
  const running = await start()
  const rows = await query(running.connection, "select * from kept where word = 'before the crash'")
  assert.equal(rows.length, 1)
  await running.stop()
})

test('starts the database despite a stale postmaster.pid with the id of another process', async () => {
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' })
  children.push(stranger)
  await writeFile(
    join(folder, 'cluster', 'postmaster.pid'),
    `${stranger.pid}\n${folder}\n1\n5432\n\n\n\nready\n`,
  )
  const running = await start()
  assert.equal((await query(running.connection, 'select 1')).length, 1)
  await running.stop()
  assert.ok(isAlive(stranger.pid!))
})

test('restarts the database when its process dies', async () => {
  const running = await start()
  const postmaster = await readPostmaster()
  process.kill(postmaster, 'SIGKILL')
  await until(
    () => messages.at(-1) === 'the embedded database is ready again',
    'it is not started again',
    30_000,
  )
  assert.equal((await query(running.connection, 'select 1')).length, 1)
  const before = messages.length
  await running.stop()
  assert.deepEqual(findDatabaseProcesses(join(folder, 'cluster')), [])
  assert.ok(!messages.slice(before).includes('the embedded database stopped unexpectedly, restarting it'))
})

test('stops a database that is restarting', async () => {
  const running = await start()
  const file = join(folder, 'cluster', 'postmaster.pid')
  const written = statSync(file).mtimeMs
  process.kill(await readPostmaster(), 'SIGKILL')
  const isStarting = () => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? written) > written
  await until(isStarting, 'it is not started again')
  await running.stop()
  assert.equal(messages.at(-1), 'the embedded database has stopped')
  assert.deepEqual(findDatabaseProcesses(join(folder, 'cluster')), [])
})

test('does not restart a crashed database when the server stops first', async () => {
  const running = await start()
  const before = messages.length
  process.kill(await readPostmaster(), 'SIGKILL')
  await until(() => messages.length > before, 'nobody notices that it died')
  await running.stop()
  assert.ok(!messages.slice(before).includes('the embedded database failed to start'))
  assert.equal(messages.at(-1), 'the embedded database has stopped')
})

test('keeps the database running when Ctrl-C interrupts the server', async () => {
  const { child, lines, connection, postmaster } = await startElsewhere()
  const interrupted = once(lines, 'line')
  process.kill(-child.pid!, 'SIGINT')
  assert.deepEqual(await interrupted, ['interrupted'])
  assert.ok(isAlive(postmaster))
  assert.equal((await query(connection, 'select 1')).length, 1)
  await kill(child)
  await until(() => !isAlive(postmaster), 'the database outlives its server')
})

test('uses a short socket folder when the path of the data folder is long', async () => {
  const deep = join(root, 'd'.repeat(120), "it's", 'postgres')
  const running = await start(deep)
  const { host } = running.connection
  assert.ok(Buffer.byteLength(host) < 90)
  assert.equal((await stat(host)).mode & 0o777, 0o700)
  assert.equal((await query(running.connection, 'select 1')).length, 1)
  await running.stop()
  await assert.rejects(stat(host), /ENOENT/)
})

test('starts the database in a subfolder of a folder with mode 0700', async () => {
  const secret = join(root, 'private')
  await mkdir(secret, { mode: 0o700 })
  const running = await start(join(secret, 'data', 'postgres'))
  assert.equal((await query(running.connection, 'select 1')).length, 1)
  await running.stop()
})

test('truncates an oversized database log at the start', async () => {
  await writeFile(join(folder, 'postgres.log'), Buffer.alloc(11 * 1024 * 1024, 'x'))
  const running = await start()
  await running.stop()
  assert.ok((await stat(join(folder, 'postgres.log'))).size < 1024 * 1024)
})

test('reports why the database cannot start', async () => {
  await assert.rejects(
    startEmbeddedPostgres({ dataDir: folder, settings: { shared_buffers: 'plenty' }, log() {} }),
    /local\.conf.*shared_buffers/s,
  )
  await (await start()).stop()
})

test("derives the database's memory settings from the RAM size", () => {
  const gigabyte = 1024 ** 3
  assert.equal(defaultSettings(gigabyte).shared_buffers, '128MB')
  assert.equal(defaultSettings(64 * gigabyte).shared_buffers, '512MB')
  assert.equal(defaultSettings(gigabyte / 8).shared_buffers, '32MB')
})

test('warns about root only when the server runs as root', async () => {
  messages.length = 0
  const running = await start()
  assert.equal(
    messages.some((message) => message.startsWith('running as root')),
    process.getuid?.() === 0,
  )
  await running.stop()
})
