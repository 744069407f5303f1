import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedAbilities } from '#modules/abilities/index.ts'
import { migrate, openDatabase, startEmbeddedPostgres } from '#platform/database'
import { migrateJobs } from '#platform/jobs'
import { isAlive } from '#test/processes.ts'

type Running = { stop(): Promise<void>; dataDir: string }
let running: Running | undefined

/** Starts PostgreSQL without fsync, and migrates a template database that every test file clones. */
export async function globalSetup({ database = true } = {}): Promise<string> {
  const folder = await findFastFolder()
  await clearAbandoned(folder)
  const dataDir = await mkdtemp(join(folder, `kith-test-${process.pid}-`))
  const processes = join(dataDir, 'processes')
  await mkdir(processes)
  process.env.KITH_TEST_RUNNING = processes
  if (!database) {
    running = { stop: async () => {}, dataDir }
    return dataDir
  }
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_compression: 'off',
      max_wal_size: '256MB',
      max_connections: '600',
      shared_buffers: '256MB',
      // Autovacuum could change query plans during a test.
      autovacuum: 'off',
    },
    log: () => {},
  })
  running = { stop: server.stop, dataDir }
  const admin = openDatabase({ connection: server.connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await admin.unsafe('create database kith_template')
  await admin.end()
  const connection = { ...server.connection, database: 'kith_template' }
  const template = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await migrate(template)
  await migrateJobs(connection)
  await seedAbilities(template)
  await template.end()
  process.env.KITH_TEST_DATABASE = JSON.stringify(server.connection)
  return dataDir
}

export async function globalTeardown(): Promise<void> {
  await running?.stop()
  if (running) await rm(running.dataDir, { recursive: true, force: true })
}

/** Prefers a folder in memory, where a new database takes 20 ms instead of 200 ms. */
async function findFastFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  return memory && memory.bavail * memory.bsize > 4 * 1024 ** 3 && freemem() > 4 * 1024 ** 3
    ? '/dev/shm'
    : tmpdir()
}

async function clearAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^kith-test-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true })
  }
}
