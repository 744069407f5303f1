import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedAbilities } from '#modules/abilities/index.ts'
import { openDatabase } from '#platform/database.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts'
import { migrateJobs } from '#platform/jobs.ts'
import { migrate } from '#platform/migrate.ts'

type Running = { stop(): Promise<void>; dataDir: string }
let running: Running | undefined

/** Before the run: one PostgreSQL without fsync, and a migrated template that every test file clones. */
export async function globalSetup(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kith-test-'))
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
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
}

export async function globalTeardown(): Promise<void> {
  await running?.stop()
  if (running) await rm(running.dataDir, { recursive: true, force: true })
}
