import { availableParallelism, totalmem } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { minimumSecretLength } from '#platform/app-secret.ts'
import { mistakenNames, originFaults, proxyFaults, urlFault } from '#platform/config-checks.ts'
import { addressesOf } from '#platform/database/hosts.ts'
import { providerVariables, readOutsideProviders } from '#platform/outside-providers.ts'

/** Everything an operator can set, read from the environment. */
export type Config = ReturnType<typeof readConfig>

type Env = Record<string, string | undefined>

/** What each provider of instant messaging cannot do without. */
const IM_NEEDS = {
  embedded: [],
  ejabberd: ['IM_EJABBERD_URL', 'IM_EJABBERD_HOST', 'IM_EJABBERD_PASSWORD'],
  easemob: ['IM_EASEMOB_URL', 'IM_EASEMOB_APP_KEY', 'IM_EASEMOB_CLIENT_ID', 'IM_EASEMOB_CLIENT_SECRET'],
} as const

const isDatabase = (url: string) =>
  URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol)

const GIGABYTE = 1024 ** 3
const MOST_PROCESSES = 64

/** One process for each core; on a small machine their memory is worth more. */
function processesOfMachine(): number {
  const limit = process.constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return memory < 2 * GIGABYTE ? 1 : Math.min(availableParallelism(), MOST_PROCESSES)
}

/** Reads and checks the whole configuration; throws one error that names every fault. */
export function readConfig(env: Env) {
  const faults: string[] = []
  const known = new Set<string>()
  const text = (name: string) => {
    known.add(name)
    return env[name]?.trim() || undefined
  }
  const integer = (name: string, standard: number, minimum: number, maximum: number, besides = '') => {
    const given = text(name)
    if (given === undefined) return standard
    const value = Number(given)
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value
    faults.push(`${name} must be ${besides}an integer from ${minimum} to ${maximum}, not "${given}"`)
    return standard
  }
  const choice = <const T extends string>(name: string, standard: T, values: readonly T[]): T => {
    const given = text(name) ?? standard
    if ((values as readonly string[]).includes(given)) return given as T
    faults.push(`${name} must be one of ${values.join(', ')}, not "${given}"`)
    return standard
  }
  const url = (name: string, protocols: string[]) => {
    const given = text(name)
    if (given === undefined) return undefined
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given.replace(/\/+$/, '')
    faults.push(urlFault(name, given, protocols))
    return undefined
  }
  /** The addresses of databases; each may name several machines of which one is the primary. */
  const database = (name: string, given = text(name)) => {
    if (given === undefined || addressesOf(given).every((each) => isDatabase(each))) return given
    faults.push(urlFault(name, given, ['postgres:', 'postgresql:']))
    return undefined
  }
  const secret = (name: string, minimum: number) => {
    const given = text(name)
    if (given !== undefined && given.length < minimum)
      faults.push(`${name} must have at least ${minimum} characters`)
    return given
  }

  const processes =
    (text('PROCESSES') ?? 'auto') === 'auto'
      ? processesOfMachine()
      : integer('PROCESSES', 1, 1, MOST_PROCESSES, 'auto or ')
  const host = text('HOST') ?? '127.0.0.1'
  const port = integer('PORT', 8080, 0, 65535)
  const dataDir = text('DATA_DIR') ?? './data'
  const hostInUrl =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const storage = choice('STORAGE', 'local', ['local', 's3'])
  const imProvider = choice('IM_PROVIDER', 'embedded', ['embedded', 'ejabberd', 'easemob'])
  const config = {
    host,
    port,
    publicUrl: url('PUBLIC_URL', ['http:', 'https:']) ?? `http://${hostInUrl}:${port}`,
    /** True when generated urls must follow the port that was really bound. */
    publicUrlIsDerived: text('PUBLIC_URL') === undefined,
    /** Where the web client shows things: a base, or an address with `{type}` and `{id}`. */
    publicWebUrl: url('PUBLIC_WEB_URL', ['http:', 'https:']),
    databaseUrl: database('DATABASE_URL'),
    /** Past the pooler that DATABASE_URL names, for what needs a session. */
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    /** Whether that pooler keeps prepared statements. */
    databasePrepares: choice('DATABASE_PREPARED_STATEMENTS', 'off', ['on', 'off']) === 'on',
    databaseReplicaMaxLagMs: integer('DATABASE_REPLICA_MAX_LAG_MS', 1_000, 10, 60_000),
    /** Replicas that read. */
    databaseReplicaUrls: (text('DATABASE_REPLICA_URLS') ?? '')
      .split(/[\s,]+(?=postgres)/)
      .filter((each) => each !== '')
      .map((each) => database('DATABASE_REPLICA_URLS', each))
      .filter((each) => each !== undefined),
    /** Processes that serve; with more than one a further one looks after them. */
    processes,
    /** Connections of each process. */
    databasePoolSize: integer('DATABASE_POOL_SIZE', processes === 1 ? 10 : 6, 1, 200),
    statementTimeoutMs: integer('STATEMENT_TIMEOUT_MS', 10_000, 100, 600_000),
    keptPages: {
      /** How much memory pages may take; 0: none is kept. */
      bytes: integer('KEPT_PAGES_MB', 64, 0, 100_000) * 1024 * 1024,
      /** How much later what only counts, such as likes, may be seen by others than who changed it. */
      countsMs: integer('KEPT_PAGES_COUNTS_MS', 1_000, 0, 60_000),
      /** Only while more pages than this are made within a second: until then counters are exact. */
      countsAfter: integer('KEPT_PAGES_COUNTS_AFTER', 20, 0, 1_000_000),
      /** How old a page may be that depends on the time of day. */
      timedMs: integer('KEPT_PAGES_TIMED_MS', 1_000, 0, 60_000),
      /** Every page that is found is made again and compared: for tests, since it saves nothing. */
      isVerified: choice('KEPT_PAGES_VERIFY', 'false', ['true', 'false']) === 'true',
    },
    requestTimeoutMs: integer('REQUEST_TIMEOUT_MS', 120_000, 1_000, 600_000),
    requestIdleMs: integer('REQUEST_IDLE_MS', 15_000, 100, 600_000),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    rateLimits: {
      anonymous: integer('RATE_LIMIT_ANONYMOUS', 60, 0, 1_000_000),
      user: integer('RATE_LIMIT_USER', 600, 0, 1_000_000),
      sensitive: integer('RATE_LIMIT_SENSITIVE', 10, 0, 1_000_000),
      files: integer('RATE_LIMIT_FILES', 3_000, 0, 1_000_000),
      variants: integer('RATE_LIMIT_VARIANTS', 300, 0, 1_000_000),
    },
    appSecret: secret('APP_SECRET', minimumSecretLength),
    founderName: text('FOUNDER_NAME') ?? 'root',
    founderPassword: secret('FOUNDER_PASSWORD', 8),
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('MAIL_FROM') ?? 'kith@localhost',
    smsUrl: url('SMS_URL', ['http:', 'https:']),
    smsSecret: text('SMS_SECRET'),
    /** A gateway that takes messages to devices as JSON; absent: to the log. */
    pushUrl: url('PUSH_URL', ['http:', 'https:']),
    pushSecret: text('PUSH_SECRET'),
    /** Whether webhooks may go to addresses of the own network. */
    webhooksAllowPrivate: choice('WEBHOOKS_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    imProvider,
    im: {
      /** How long one request to the provider may take. */
      timeoutMs: integer('IM_TIMEOUT_MS', 5_000, 100, 60_000),
      /** How long a request of ours waits for the provider before it answers 202. */
      confirmMs: integer('IM_CONFIRM_MS', 3_000, 0, 60_000),
      ejabberd: {
        url: url('IM_EJABBERD_URL', ['http:', 'https:']) ?? '',
        host: text('IM_EJABBERD_HOST') ?? '',
        service: text('IM_EJABBERD_SERVICE') ?? `conference.${text('IM_EJABBERD_HOST') ?? ''}`,
        user: text('IM_EJABBERD_USER') ?? 'admin',
        password: text('IM_EJABBERD_PASSWORD') ?? '',
      },
      easemob: {
        url: url('IM_EASEMOB_URL', ['http:', 'https:']) ?? '',
        appKey: text('IM_EASEMOB_APP_KEY') ?? '',
        clientId: text('IM_EASEMOB_CLIENT_ID') ?? '',
        clientSecret: text('IM_EASEMOB_CLIENT_SECRET') ?? '',
        sender: text('IM_EASEMOB_SENDER') ?? 'admin',
      },
    },
    /** Providers outside at which people may sign in, by name. */
    outsideProviders: readOutsideProviders(env, faults),
    storage,
    s3: {
      endpoint: url('S3_ENDPOINT', ['http:', 'https:']),
      region: text('S3_REGION') ?? 'us-east-1',
      bucket: text('S3_BUCKET') ?? '',
      accessKeyId: text('S3_ACCESS_KEY_ID') ?? '',
      secretAccessKey: text('S3_SECRET_ACCESS_KEY') ?? '',
      forcePathStyle: choice('S3_FORCE_PATH_STYLE', 'true', ['true', 'false']) === 'true',
    },
    /** How often an open stream is written to, so that no proxy takes it for dead. */
    streamHeartbeatMs: integer('STREAM_HEARTBEAT_MS', 15_000, 50, 600_000),
    maxUploadBytes: integer('MAX_UPLOAD_BYTES', 10 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    /** Room for pictures in other sizes; 0 keeps none. */
    variantBytes: integer('VARIANT_BYTES', 1024 ** 3, 0, 1024 ** 4),
    corsOrigins: (text('CORS_ORIGINS') ?? '*').split(',').map((origin) => origin.trim()),
    /** Addresses of reverse proxies whose X-Forwarded-For is believed; empty: none. */
    trustProxy: text('TRUST_PROXY'),
    /** Whether the console is served at /admin, and built where it is not yet. */
    console: choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    /** A folder or `s3://bucket/prefix` for backups by the clock; absent: none are made. */
    backupTo: text('BACKUP_TO'),
    /** When: five fields of a crontab line, UTC. */
    backupAt: text('BACKUP_AT') ?? '30 3 * * *',
    backupKeep: integer('BACKUP_KEEP', 7, 1, 1000),
    backupPassphrase: secret('BACKUP_PASSPHRASE', 12),
    metricsPublic: choice('METRICS', 'local', ['local', 'public']) === 'public',
    metricsPort: integer('METRICS_PORT', 0, 0, 65535),
    worker: choice('WORKER', 'inside', ['inside', 'separate']),
    logLevel: choice('LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }
  if (config.databaseUrl === undefined)
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URLS'])
      if (text(name)) faults.push(`${name} is for a database that DATABASE_URL names`)
  if (storage === 's3')
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
      if (!text(name)) faults.push(`${name} is needed when STORAGE=s3`)
  for (const name of IM_NEEDS[imProvider])
    if (!text(name)) faults.push(`${name} is needed when IM_PROVIDER=${imProvider}`)
  if (imProvider === 'easemob' && config.im.easemob.appKey && !/^[^#]+#[^#]+$/.test(config.im.easemob.appKey))
    faults.push('IM_EASEMOB_APP_KEY has the form organisation#application')
  if (!/^([\d*,/-]+ ){4}[\d*,/-]+$/.test(config.backupAt))
    faults.push(
      `BACKUP_AT must be five fields of a crontab line, such as "30 3 * * *", not "${config.backupAt}"`,
    )
  if (config.backupTo?.includes('://') && !/^s3:\/\/[^/?#]+(\/[^?#]*)?$/.test(config.backupTo))
    faults.push('BACKUP_TO must be a folder or s3://BUCKET/FOLDER')
  faults.push(...proxyFaults(config.trustProxy), ...originFaults(config.corsOrigins))
  faults.push(...mistakenNames(env, [...known, ...providerVariables(env)]))
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** Names every fault of the configuration at once. */
class ConfigError extends Error {
  constructor(faults: string[]) {
    const [first = ''] = faults
    super(
      faults.length === 1
        ? `${first}${/[.?]$/.test(first) ? '' : '.'}`
        : `The configuration has ${faults.length} faults:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}
