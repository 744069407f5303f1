import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config'
import {
  type DatabaseAddress,
  findRunningPostgres,
  refuseEmptiedDataDir,
  startEmbeddedPostgres,
} from '#platform/database'
import { connectionsOfProcess } from '#platform/nodes.ts'
import type { Log } from '#platform/observability'
import { startFault } from '#platform/start-fault.ts'
import { checkDatabase, checkDataDir } from './start-checks.ts'

export type DatabaseServer = {
  /**
   * Connection that bypasses a pooler, for work that needs a database session, such as signals, migrations
   * and jobs. Without `requests`, this connection also serves requests.
   */
  connection: DatabaseAddress
  requests?: string
  stop?: () => Promise<void>
}

const FOR_OTHERS = 40
const LEAST = 100

/**
 * Counts one more process than configured, because a replacement overlaps with the process that it replaces.
 */
const connectionsOf = (config: Config) =>
  Math.max(LEAST, (config.processes + 1) * connectionsOfProcess(config) + FOR_OTHERS)

type OpenOptions = {
  /** Reuses the embedded database of a running server. */
  mayJoin?: boolean
  /** Creates a new database when the data directory has lost its database. */
  mayBeLost?: boolean
  /** Runs whenever the start of the embedded database waits for a program of PostgreSQL. */
  onWait?: () => void
}

/** Uses the configured database or starts the embedded one. Throws a `StartFault` for a known error. */
export const openDatabaseServer = (config: Config, log: Log, options: OpenOptions = {}) =>
  openOrStart(config, log, options).catch((error) => {
    throw startFault(error, config.dataDir)
  })

async function openOrStart(
  config: Config,
  log: Log,
  { mayJoin = false, mayBeLost = false, onWait }: OpenOptions,
): Promise<DatabaseServer> {
  const { databaseUrl, databaseDirectUrl } = config
  await checkDataDir(config)
  for (const url of new Set([databaseDirectUrl, databaseUrl]))
    if (url !== undefined) await checkDatabase(url, config.databaseWaitMs, log)
  await mkdir(config.dataDir, { recursive: true })
  if (databaseUrl !== undefined)
    return databaseDirectUrl === undefined
      ? { connection: databaseUrl }
      : { connection: databaseDirectUrl, requests: databaseUrl }
  const dataDir = join(config.dataDir, 'postgres')
  const running = mayJoin ? await findRunningPostgres(dataDir) : null
  if (running) return { connection: running }
  if (!mayBeLost) await refuseEmptiedDataDir(config.dataDir)
  return startEmbeddedPostgres({
    dataDir,
    settings: { max_connections: String(connectionsOf(config)) },
    log: (level, message, extra) => log[level]({ ...extra }, message),
    onWait,
  })
}
