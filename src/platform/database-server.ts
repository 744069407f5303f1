import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config.ts'
import { findRunningPostgres, refuseEmptiedDataDir, startEmbeddedPostgres } from '#platform/database'
import type { JobsConnection } from '#platform/jobs'
import type { Log } from '#platform/observability'
import { checkDatabase, checkDataDir } from '#platform/start-checks.ts'

export type DatabaseServer = {
  /**
   * Address for work that needs a session (signals, migrations, jobs, commands), and for requests unless they
   * have another.
   */
  connection: JobsConnection
  /** Address for requests, where it is another, such as that of PgBouncer. */
  requests?: string
  stop?: () => Promise<void>
}

/** Connections of a process beside its pool: signals, the health probe and a spare. */
const BESIDE_POOL = 3
/** Connections for jobs, commands and operators. */
const FOR_OTHERS = 40
const LEAST = 100

/** Connections that all processes may open, plus one process while they are replaced. */
const connectionsOf = ({ processes, databasePoolSize }: Config) =>
  Math.max(LEAST, (processes + 1) * (databasePoolSize + BESIDE_POOL) + FOR_OTHERS)

/**
 * Starts the embedded database unless the configuration names another, which is checked first. With
 * `mayJoin`, uses the embedded database of a running server. With `mayBeLost`, replaces one that is missing.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  { mayJoin = false, mayBeLost = false }: { mayJoin?: boolean; mayBeLost?: boolean } = {},
): Promise<DatabaseServer> {
  await checkDataDir(config)
  const direct = config.databaseDirectUrl ?? config.databaseUrl
  if (direct !== undefined) await checkDatabase(direct)
  if (config.databaseUrl !== undefined && config.databaseUrl !== direct)
    await checkDatabase(config.databaseUrl)
  await mkdir(config.dataDir, { recursive: true })
  if (config.databaseUrl !== undefined && direct !== undefined)
    return {
      connection: direct,
      ...(config.databaseDirectUrl === undefined ? {} : { requests: config.databaseUrl }),
    }
  const dataDir = join(config.dataDir, 'postgres')
  const running = mayJoin ? await findRunningPostgres(dataDir) : null
  if (running) return { connection: running }
  if (!mayBeLost) await refuseEmptiedDataDir(config.dataDir)
  return startEmbeddedPostgres({
    dataDir,
    settings: { max_connections: String(connectionsOf(config)) },
    log: (level, message, extra) => log[level]({ ...extra }, message),
  })
}
