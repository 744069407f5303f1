import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config.ts'
import { addressesOf, withFirst } from '#platform/database/hosts.ts'
import { findRunningPostgres } from '#platform/embedded-postgres/running.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts'
import type { JobsConnection } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { checkDatabase, checkDataDir } from '#platform/start-checks.ts'

/** A database to use, and what it takes to end it where it was started for us. */
export type DatabaseServer = {
  /** For what needs a session: signals, migrations, jobs and commands; and for requests unless there is a pooler. */
  connection: JobsConnection
  /** The address of a pooler in transaction mode. */
  pooled?: string
  stop?: () => Promise<void>
}

/** What a process holds beside its pool: signals, the question whether the database answers, a spare one. */
const BESIDE_POOL = 3
/** For jobs, commands and people who look. */
const FOR_OTHERS = 40
const LEAST = 100

/** As many connections as all processes may open, with one more of them while they are replaced. */
const connectionsOf = ({ processes, databasePoolSize }: Config) =>
  Math.max(LEAST, (processes + 1) * (databasePoolSize + BESIDE_POOL) + FOR_OTHERS)

/** Looks at each machine until one is found that is the primary; the address with that one first. */
async function findPrimary(url: string): Promise<string> {
  const faults: unknown[] = []
  for (const [at, address] of addressesOf(url).entries())
    try {
      await checkDatabase(address)
      return withFirst(url, at)
    } catch (error) {
      faults.push(error)
    }
  throw faults[0]
}

/**
 * Starts the embedded database unless the configuration names another, which is looked at first. With `mayJoin` the embedded database of a running
 * server is used where there is one.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  { mayJoin = false }: { mayJoin?: boolean } = {},
): Promise<DatabaseServer> {
  await checkDataDir(config)
  const address = config.databaseDirectUrl ?? config.databaseUrl
  const direct = typeof address === 'string' ? await findPrimary(address) : address
  await mkdir(config.dataDir, { recursive: true })
  if (config.databaseUrl !== undefined && direct !== undefined)
    return {
      connection: direct,
      ...(config.databaseDirectUrl === undefined ? {} : { pooled: config.databaseUrl }),
    }
  const dataDir = join(config.dataDir, 'postgres')
  const running = mayJoin ? await findRunningPostgres(dataDir) : null
  if (running) return { connection: running }
  return startEmbeddedPostgres({
    dataDir,
    settings: { max_connections: String(connectionsOf(config)) },
    log: (level, message, extra) => log[level]({ ...extra }, message),
  })
}
