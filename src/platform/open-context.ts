import { join } from 'node:path'
import { loadAppSecret } from '#platform/app-secret.ts'
import { closeInOrder } from '#platform/closing.ts'
import type { Config } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import { createSecrets, type Secrets } from '#platform/crypto.ts'
import { checkPooler } from '#platform/database/pooler.ts'
import { type DatabaseOptions, openDatabase } from '#platform/database.ts'
import { type DatabaseServer, openDatabaseServer } from '#platform/database-server.ts'
import type { JobsConnection } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPush } from '#platform/push.ts'
import { createRateLimiter } from '#platform/rate-limit.ts'
import { openReplicas } from '#platform/replicas.ts'
import { findSecretCheck, requireSecret } from '#platform/secret-check.ts'
import { createSignals } from '#platform/signals.ts'
import { createSms } from '#platform/sms.ts'
import { createStorage, type Storage } from '#platform/storage/storage.ts'

/** The context of a process, with what it takes to run jobs and to close everything again. */
export type Opened = {
  ctx: Context
  /** The same for jobs: with connections of their own, on which they wait as long as it takes. */
  forJobs: Context
  connection: JobsConnection
  close(): Promise<void>
}

const JOBS_POOL_SIZE = 4

/** What a server refuses that a command waits for. */
export type Bounds = Pick<DatabaseOptions, 'patienceMs' | 'maxWaiting' | 'lockTimeoutMs'>

/** The store of uploads that the configuration names. */
export const openStorage = (config: Config): Storage =>
  createStorage(
    config.storage === 's3'
      ? { kind: 's3', ...config.s3 }
      : { kind: 'local', root: join(config.dataDir, 'uploads') },
  )

/**
 * Starts the embedded database unless DATABASE_URL names another or `server` is it already, and connects to everything
 * outside. With `mayJoin` the embedded database of a running server is used where there is one.
 */
export async function openContext(
  config: Config,
  log: Log,
  {
    mayJoin = false,
    isDurable = true,
    bounds,
    server,
  }: { mayJoin?: boolean; isDurable?: boolean; bounds?: Bounds; server?: DatabaseServer } = {},
): Promise<Opened> {
  const database = server ?? (await openDatabaseServer(config, log, { mayJoin }))
  const { connection, pooled } = database
  const options = {
    statementTimeoutMs: config.statementTimeoutMs,
    isDurable,
    onNotice: (message: string) => log.debug({ notice: message }, 'database notice'),
  }
  // A command has sessions of its own; what serves may share them with others.
  const forRequests = { ...options, ...bounds, poolSize: config.databasePoolSize }
  const throughPooler =
    pooled !== undefined && bounds
      ? { ...forRequests, connection: pooled, isPooled: true, prepares: config.databasePrepares }
      : undefined
  const sql = openDatabase(throughPooler ?? { ...forRequests, connection })
  const sqlForJobs = openDatabase({
    ...options,
    connection,
    poolSize: JOBS_POOL_SIZE,
    generations: sql.generations,
  })
  let secrets: Secrets
  try {
    if (throughPooler && !server) await checkPooler(throughPooler, log)
    const check = await findSecretCheck(sql)
    secrets = createSecrets(
      config.appSecret ?? loadAppSecret(config.dataDir, { mayCreate: check === undefined }),
    )
    requireSecret(secrets, check, config.appSecret ? 'APP_SECRET' : join(config.dataDir, 'app-secret'))
  } catch (error) {
    await sql.end({ timeout: 0 })
    await database.stop?.()
    throw error
  }
  const signals = createSignals(sql, sqlForJobs)
  const limiter = createRateLimiter({ log, ...(config.redisUrl ? { redisUrl: config.redisUrl } : {}) })
  const mail = createMail({
    from: config.mailFrom,
    log,
    ...(config.smtpUrl ? { smtpUrl: config.smtpUrl } : {}),
  })
  const metrics = createMetrics()
  metrics.gaugePool(() => {
    const { busy, waiting } = sql.state()
    const max = config.databasePoolSize
    return { max, busy, idle: max - busy, waiting }
  })
  const replicas =
    bounds && config.databaseReplicaUrls.length > 0
      ? openReplicas({
          urls: config.databaseReplicaUrls,
          primary: sql,
          options: forRequests,
          maxLagMs: config.databaseReplicaMaxLagMs,
          metrics,
          log,
          redisUrl: config.redisUrl,
        })
      : undefined
  const ctx: Context = {
    ...(replicas ? { replicas } : {}),
    config,
    sql,
    log,
    limiter,
    metrics,
    signals,
    secrets,
    storage: openStorage(config),
    mail,
    sms: createSms(
      config.smsUrl
        ? { provider: 'http', url: config.smsUrl, secret: config.smsSecret ?? '' }
        : { provider: 'log', log },
    ),
    push: createPush(
      config.pushUrl
        ? { provider: 'http', url: config.pushUrl, secret: config.pushSecret ?? '' }
        : { provider: 'log', log },
    ),
    onClose: [],
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
          { name: 'mail', withinMs: 1_000, close: () => mail.close() },
          { name: 'replicas', withinMs: 2_000, close: async () => replicas?.close() },
          { name: 'connections of jobs', withinMs: 2_000, close: () => sqlForJobs.end({ timeout: 1 }) },
          { name: 'connections', withinMs: 6_000, close: () => sql.end({ timeout: 5 }) },
          { name: 'database', withinMs: 90_000, close: async () => database.stop?.() },
        ],
        log,
      ),
  }
}
