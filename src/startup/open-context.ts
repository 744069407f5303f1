import { join } from 'node:path'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import {
  createOutageLog,
  createSignals,
  createWriteWatch,
  type DatabaseAddress,
  type DatabaseOptions,
  openDatabase,
  openReplicas,
} from '#platform/database'
import { createLocalStorage, createS3Storage, type Storage } from '#platform/files'
import { addGauge, createMetrics, type Log } from '#platform/observability'
import { createRateLimiter } from '#platform/processes'
import { startFault } from '#platform/start-fault.ts'
import { closeInOrder } from './closing.ts'
import { type DatabaseServer, openDatabaseServer } from './database-server.ts'
import { openSecrets } from './secret-check.ts'
import { refuseUnfinishedRestore } from './unfinished.ts'

export type OpenedContext = {
  ctx: Context
  /** Context with a separate connection pool, so that jobs take no connections from requests. */
  forJobs: Context
  connection: DatabaseAddress
  close(): Promise<void>
}

const JOBS_POOL_SIZE = 3

/** Limits of a server's connection pool. Commands use the defaults, and wait longer for a connection. */
export type PoolLimits = Pick<DatabaseOptions, 'patienceMs' | 'maxWaiting' | 'lockTimeoutMs'>

export const openStorage = (config: Config): Storage =>
  config.storage === 's3' ? createS3Storage(config.s3) : createLocalStorage(join(config.dataDir, 'uploads'))

/** Opens the database and the services of a process. Throws a `StartFault` for a known error. */
export async function openContext(
  config: Config,
  log: Log,
  {
    mayJoin = false,
    isDurable = true,
    mayBeUnfinished = false,
    bounds,
    server,
  }: {
    mayJoin?: boolean
    isDurable?: boolean
    /** Accepts a database into which a restore has not finished. */
    mayBeUnfinished?: boolean
    bounds?: PoolLimits
    server?: DatabaseServer
  } = {},
): Promise<OpenedContext> {
  const database = server ?? (await openDatabaseServer(config, log, { mayJoin }))
  const { connection, requests } = database
  const options = {
    statementTimeoutMs: config.statementTimeoutMs,
    planCacheMode: config.databasePlanCacheMode,
    isDurable,
    writes: createWriteWatch(),
    onNotice: (message: string) => log.debug({ notice: message }, 'database notice'),
  }
  const outages = createOutageLog(log)
  const forRequests = { ...options, ...bounds, poolSize: config.databasePoolSize }
  // Commands bypass the pooler, because they need database sessions.
  const sql = openDatabase({ ...forRequests, ...outages, connection: (bounds && requests) ?? connection })
  const sqlForJobs = openDatabase({ ...options, ...outages, connection, poolSize: JOBS_POOL_SIZE })
  const opening = mayBeUnfinished ? Promise.resolve() : refuseUnfinishedRestore(config, sql)
  const secrets = await opening
    .then(() => openSecrets(sql, config))
    .catch(async (error) => {
      await Promise.all([sql.end({ timeout: 0 }), sqlForJobs.end({ timeout: 0 })])
      await database.stop?.()
      throw startFault(error, config.dataDir)
    })
  const signals = createSignals(sqlForJobs)
  const limiter = createRateLimiter({ log, redisUrl: config.redisUrl })
  const metrics = createMetrics()
  metrics.gaugePool(() => {
    const { busy, waiting, pressure } = sql.state()
    const max = config.databasePoolSize
    return { max, busy, idle: max - busy, waiting, pressure }
  })
  addGauge(
    metrics.registry,
    'database_cut_backends',
    'Backends that still run statements of abandoned connections',
    () => sql.cutBackends() + sqlForJobs.cutBackends(),
  )
  const replicas =
    bounds && config.databaseReplicaUrls.length > 0
      ? // With a watch of its own, because a replica rejects each write.
        openReplicas(config.databaseReplicaUrls, sql, {
          options: { ...forRequests, writes: createWriteWatch() },
          metrics,
          log,
        })
      : undefined
  const ctx: Context = {
    replicas,
    config,
    sql,
    log,
    limiter,
    metrics,
    signals,
    secrets,
    storage: openStorage(config),
    onClose: [],
    state: new Map(),
  }
  return {
    ctx,
    forJobs: { ...ctx, sql: sqlForJobs },
    connection,
    close: () =>
      closeInOrder(
        [
          ...ctx.onClose.map((close) => ({ name: 'work in memory', withinMs: 6_000, close })),
          { name: 'signals', withinMs: 1_000, close: signals.close },
          { name: 'rate limits', withinMs: 1_000, close: () => limiter.close() },
          { name: 'replicas', withinMs: 2_000, close: async () => replicas?.close() },
          { name: 'connections of jobs', withinMs: 2_000, close: () => sqlForJobs.end({ timeout: 1 }) },
          { name: 'connections', withinMs: 6_000, close: () => sql.end({ timeout: 5 }) },
          { name: 'database', withinMs: 90_000, close: async () => database.stop?.() },
        ],
        log,
      ),
  }
}
