import { chmod, mkdir, open, readFile, realpath, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSession } from './connection.ts'
import { clientConfig } from './database.ts'
import { type Address, clearAddress, prepareAddress, removeAddress } from './embedded-postgres/address.ts'
import { type Binaries, prepareBinaries } from './embedded-postgres/binaries.ts'
import { createCluster, SUPERUSER } from './embedded-postgres/cluster.ts'
import { refuseForeignCluster, startFailure } from './embedded-postgres/damage.ts'
import { changeTreeOwner, chooseSystemUser, type SystemUser } from './embedded-postgres/identity.ts'
import { clearLeftovers, type Log, type PidFile, readPidFile } from './embedded-postgres/leftovers.ts'
import { acquireLock, isLocked, LOCK } from './embedded-postgres/lock.ts'
import { defaultSettings, writeSettings } from './embedded-postgres/settings.ts'
import { launchPostmaster, type Running } from './embedded-postgres/watchdog.ts'

export type EmbeddedPostgresOptions = {
  dataDir: string
  settings?: Record<string, string>
  log: Log
  /** Runs whenever this function begins to wait for a program of PostgreSQL. The caller can use the time. */
  onWait?: (() => void) | undefined
}

export type EmbeddedConnection = { host: string; port: number; user: 'kith'; database: 'kith' }

export type EmbeddedPostgres = { connection: EmbeddedConnection; stop(): Promise<void> }

const largestLog = 10 * 1024 * 1024
const startTimeout = 60_000

type Place = Pick<EmbeddedPostgresOptions, 'log' | 'onWait'> & {
  folder: string
  cluster: string
  address: Address
  logPath: string
  binaries: Binaries
  identity: SystemUser
  options: string[]
}

/** Creates the cluster on first use. Only one server can use `dataDir` at a time. */
export async function startEmbeddedPostgres({
  dataDir,
  settings: given,
  log,
  onWait,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = await prepareBinaries()
  await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  const releaseLock = acquireLock(join(folder, LOCK))
  let address: Address | undefined
  try {
    const cluster = join(folder, 'cluster')
    await refuseForeignCluster(binaries, cluster)
    const identity = await chooseSystemUser(binaries, cluster)
    if (process.getuid?.() === 0)
      log(
        'warn',
        'running as root: every process of the database user can access the database; use a dedicated account',
        { user: identity.name },
      )
    // When PostgreSQL runs as another OS user, that user must be able to traverse this folder.
    await chmod(folder, identity.spawn.uid === undefined ? 0o700 : 0o711)
    const settings = { ...defaultSettings(), ...given }
    const isNew = await createCluster(binaries, identity, { cluster, sync: settings.fsync !== 'off', onWait })
    if (isNew) log('info', 'created the embedded database', { folder, identity: identity.name })
    await clearLeftovers(cluster, log)
    await changeTreeOwner(cluster, identity)
    address = await prepareAddress(folder, identity)
    const options = await writeSettings(folder, { ...settings, ...address.settings })
    const logPath = join(folder, 'postgres.log')
    const place = { folder, cluster, address, logPath, binaries, identity, options, log, onWait }
    return await supervise(place, releaseLock)
  } catch (error) {
    if (address) await removeAddress(folder, address)
    releaseLock()
    throw error
  }
}

/** Waits for the database of a running server to accept connections. Returns null when no server runs. */
export async function findRunningPostgres(dataDir: string): Promise<EmbeddedConnection | null> {
  const folder = await realpath(dataDir).catch(() => null)
  if (folder === null) return null
  const deadline = performance.now() + startTimeout
  while (isLocked(join(folder, LOCK))) {
    const file = await readPidFile(join(folder, 'cluster'))
    if (file?.status === 'ready')
      return { host: file.socketFolder, port: file.port, user: 'kith', database: 'kith' }
    if (performance.now() > deadline)
      throw new Error(`The server that uses ${folder} did not start its database in time.`)
    await wait(50)
  }
  return null
}

async function supervise(place: Place, releaseLock: () => void): Promise<EmbeddedPostgres> {
  const { log } = place
  const { host, port } = place.address
  const login = { host, port }
  const stopping = new AbortController()
  let running = await launch(place)
  try {
    await createDatabase(login)
  } catch (error) {
    await running.stop()
    throw error
  }
  log('info', 'the embedded database is ready', { pid: running.pid, host })

  /** Restarts a postmaster that stops unexpectedly, for example because memory ran out. */
  async function keepRunning(): Promise<void> {
    for (let delay = 100; ; delay = Math.min(delay * 2, 30_000)) {
      const code = await running.exited
      if (stopping.signal.aborted) return
      log('error', 'the embedded database stopped unexpectedly, restarting it', {
        code,
        log: place.logPath,
      })
      void running.stop()
      try {
        await wait(delay, undefined, { signal: stopping.signal })
        running = await launch(place)
        if (stopping.signal.aborted) return
        log('info', 'the embedded database is ready again', { pid: running.pid })
        delay = 50
      } catch (error) {
        if (stopping.signal.aborted) return
        log('error', 'the embedded database failed to start', { err: error })
      }
    }
  }
  const kept = keepRunning()
  const trimming = setInterval(() => void trimLog(place.logPath), 3_600_000).unref()

  async function shutDown(): Promise<void> {
    stopping.abort()
    clearInterval(trimming)
    void running.stop()
    await kept
    await running.stop()
    await clearLeftovers(place.cluster, log)
    await removeAddress(place.folder, place.address)
    releaseLock()
    log('info', 'the embedded database has stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    connection: { ...login, user: 'kith', database: 'kith' },
    stop: () => {
      stopped ??= shutDown()
      return stopped
    },
  }
}

/** Waits without a timeout, because crash recovery may take long. */
async function launch(place: Place): Promise<Running> {
  const { cluster, address, logPath, log } = place
  const deadline = performance.now() + 15_000
  for (;;) {
    await clearLeftovers(cluster, log)
    await clearAddress(address.host)
    await trimLog(logPath)
    const before = await readPidFile(cluster)
    const logFile = await open(logPath, 'a', 0o600)
    const { size } = await logFile.stat()
    const running = await launchPostmaster(place, logFile.fd).finally(() => logFile.close())
    place.onWait?.()
    if (await becomesReady(running, before, place)) return running
    const output = (await readFile(logPath)).subarray(size).toString()
    // Retries, because the backends of a killed postmaster hold its shared memory until they exit.
    if (output.includes('pre-existing shared memory block') && performance.now() < deadline) {
      await wait(250)
      continue
    }
    throw startFailure(output, place)
  }
}

/**
 * Compares the start time as well as the process id. The postmaster.pid of an earlier start may contain the
 * process id of the new postmaster.
 */
async function becomesReady(
  running: Running,
  earlier: PidFile | null,
  { cluster, log }: Place,
): Promise<boolean> {
  let nextWord = performance.now() + 10_000
  while (!running.hasExited()) {
    const file = await readPidFile(cluster)
    const isOld = file?.pid === earlier?.pid && file?.start === earlier?.start
    if (file?.pid === running.pid && !isOld && file.status === 'ready') return true
    if (performance.now() >= nextWord) {
      log('warn', 'the embedded database is still starting, probably recovering', { status: file?.status })
      nextWord += 10_000
    }
    await wait(5)
  }
  return false
}

async function createDatabase(login: { host: string; port: number }): Promise<void> {
  const { sql, end } = await openSession({
    config: clientConfig({ ...login, user: SUPERUSER, database: 'postgres' }),
  })
  try {
    const [found] = await sql<[{ role: boolean; database: boolean }]>`
      select exists (select from pg_roles where rolname = 'kith') as role,
             exists (select from pg_database where datname = 'kith') as database`
    if (!found.role) await sql`create role kith login createdb`
    if (!found.database) {
      await sql`grant pg_monitor to kith`
      await sql`create database kith owner kith template template0`
    }
  } finally {
    end()
  }
}

/** PostgreSQL writes the log in append mode, so truncating the open file is safe. */
async function trimLog(path: string): Promise<void> {
  const info = await stat(path).catch(() => null)
  if (info && info.size > largestLog) await truncate(path, 0).catch(() => {})
}
