import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '#platform/config.ts'
import {
  findRunningPostgres,
  hostUrls,
  refuseEmptiedDataDir,
  startEmbeddedPostgres,
  withPreferredHost,
} from '#platform/database'
import type { JobsConnection } from '#platform/jobs'
import type { Log } from '#platform/observability'
import { checkDatabase, checkDataDir } from '#platform/start-checks.ts'

/** A database, with the way to stop it if this process started it. */
export type DatabaseServer = {
  /**
   * Address for work that needs a session (signals, migrations, jobs, commands), and for requests without a
   * pooler.
   */
  connection: JobsConnection
  /** Address of a pooler in transaction mode. */
  pooled?: string
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

/** A failover is over by then. */
const PATIENCE_MS = 20_000
const RETRY_MS = 500
/** A machine that starts, stops, breaks connections, is away, or only reads until it takes over. */
const PASSING =
  /^(57P0[123]|25006|ECONN(RESET|REFUSED)|EPIPE|EHOSTUNREACH|ETIMEDOUT|CONNECT(ION)?_(TIMEOUT|CLOSED|DESTROYED|ENDED))$/

/**
 * Looks at each machine until one is found that is the primary; the address with that one first. Of several machines none
 * may be the primary during a failover, so that it tries again for a while.
 */
async function findPrimary(url: string, log: Log, patienceMs: number): Promise<string> {
  const addresses = hostUrls(url)
  const isPassing = (fault: unknown) =>
    PASSING.test(((fault as Error).cause as { code?: string } | undefined)?.code ?? '')
  for (const end = Date.now() + patienceMs; ; await pause(RETRY_MS)) {
    const faults: unknown[] = []
    for (const [at, address] of addresses.entries())
      try {
        await checkDatabase(address)
        return withPreferredHost(url, at)
      } catch (error) {
        faults.push(error)
      }
    if (addresses.length < 2 || Date.now() >= end || !faults.some(isPassing)) throw faults[0]
    log.warn({ err: faults[0] }, 'the database is not ready: trying again')
  }
}

/**
 * Starts the embedded database unless the configuration names another, which is checked first. With
 * `mayJoin`, uses the embedded database of a running server. With `mayBeLost`, replaces one that is missing.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  {
    mayJoin = false,
    mayBeLost = false,
    patienceMs = PATIENCE_MS,
  }: { mayJoin?: boolean; mayBeLost?: boolean; patienceMs?: number } = {},
): Promise<DatabaseServer> {
  await checkDataDir(config)
  const address = config.databaseDirectUrl ?? config.databaseUrl
  const direct = typeof address === 'string' ? await findPrimary(address, log, patienceMs) : address
  await mkdir(config.dataDir, { recursive: true })
  if (config.databaseUrl !== undefined && direct !== undefined)
    return {
      connection: direct,
      ...(config.databaseDirectUrl === undefined ? {} : { pooled: config.databaseUrl }),
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
