import { mkdir, mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { seedAbilities } from '#modules/abilities/index.ts'
import { migrate, openDatabase, startEmbeddedPostgres } from '#platform/database'
import { findBirth, isAlive } from '#platform/database/embedded-postgres/processes.ts'
import { migrateJobs } from '#platform/jobs'

type Running = { stop(): Promise<void>; dataDir: string }
let running: Running | undefined

/**
 * Before the run: starts one PostgreSQL without fsync, with a migrated template that every test file clones.
 * Returns the folder of the run.
 */
export async function globalSetup(): Promise<string> {
  const folder = await findFastFolder()
  await clearAbandoned(folder)
  const dataDir = await mkdtemp(join(folder, `kith-test-${process.pid}-`))
  const processes = join(dataDir, 'processes')
  await mkdir(processes)
  process.env.KITH_TEST_RUNNING = processes
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_compression: 'off',
      max_wal_size: '256MB',
      max_connections: '600',
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

/** Time limits of a file, and of a process with several. */
const LONGEST_MS = 300_000
const LONGEST_OF_SEVERAL_MS = 900_000
/** Prefix of files that run several others. */
export const BUNDLE = 'bundle-'

/** Kills test processes (see watchdog.ts) beyond their time limit. */
export function watchProcesses(): void {
  const folder = process.env.KITH_TEST_RUNNING ?? ''
  setInterval(async () => {
    for (const pid of await readdir(folder).catch(() => [])) {
      const entry = join(folder, pid)
      const born = (await stat(entry).catch(() => undefined))?.mtimeMs ?? Date.now()
      const [birth, file = ''] = (await readFile(entry, 'utf8').catch(() => '')).split('\n')
      if (Date.now() - born < (basename(file).startsWith(BUNDLE) ? LONGEST_OF_SEVERAL_MS : LONGEST_MS))
        continue
      await rm(entry, { force: true })
      if (!isAlive(Number(pid)) || findBirth(Number(pid)) !== birth) continue
      console.error(`Killed for running too long: ${file}`)
      process.kill(Number(pid), 'SIGKILL')
    }
  }, 5_000).unref()
}

/**
 * A folder in memory if there is plenty (Linux), because a database is thousands of small files: 20 ms
 * instead of 200 for each.
 */
async function findFastFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  return memory && memory.bavail * memory.bsize > 4 * 1024 ** 3 && freemem() > 4 * 1024 ** 3
    ? '/dev/shm'
    : tmpdir()
}

/** Remains of a killed run in memory. */
async function clearAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^kith-test-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true })
  }
}
