import { availableParallelism, totalmem } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { minimumSecretLength } from '#platform/app-secret.ts'
import {
  findMisspelledNames,
  originFaults,
  proxyFaults,
  retiredFaults,
  severalHostsFault,
  urlFault,
} from '#platform/config-checks.ts'
import { PLAN_CACHE_MODES } from '#platform/database'
import { providerVariables, readOutsideProviders } from '#platform/outside-providers.ts'
import { readPaymentSettings } from '#platform/payments'
import { readPushServices } from '#platform/push-config.ts'
import { fileVariables, settingReader } from '#platform/secret-files.ts'
import { readTextSettings } from '#platform/sms'

/** All settings of an operator, read from the environment. */
export type Config = ReturnType<typeof readConfig>

type Env = Record<string, string | undefined>

/** Required settings of each provider of instant messaging. */
const IM_NEEDS = {
  embedded: [],
  ejabberd: ['IM_EJABBERD_URL', 'IM_EJABBERD_HOST', 'IM_EJABBERD_PASSWORD'],
  easemob: ['IM_EASEMOB_URL', 'IM_EASEMOB_APP_KEY', 'IM_EASEMOB_CLIENT_ID', 'IM_EASEMOB_CLIENT_SECRET'],
} as const

const isDatabase = (url: string) =>
  URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol)

const GIGABYTE = 1024 ** 3
const MOST_PROCESSES = 64

export type Machine = { cores: number; memory: number }

function findMachine(): Machine {
  const limit = process.constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return { cores: availableParallelism(), memory }
}

/**
 * Returns one process for each core that the database does not need. The embedded database takes about as
 * much processor time as the processes that serve. On a small machine the memory of further processes is
 * worth more.
 */
export function chooseProcesses({ cores, memory }: Machine, hasEmbeddedDatabase: boolean): number {
  if (memory < 2 * GIGABYTE) return 1
  return Math.min(hasEmbeddedDatabase ? Math.ceil(cores / 2) : cores, MOST_PROCESSES)
}

/** Reads and checks the whole configuration; throws one error that names every fault. */
export function readConfig(env: Env) {
  const faults: string[] = []
  const known = new Set<string>()
  const read = settingReader(env, faults)
  const text = (name: string) => {
    known.add(name)
    return read(name)
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
  const database = (name: string, given = text(name)) => {
    if (given === undefined) return given
    const hostsFault = severalHostsFault(name, given)
    if (hostsFault === undefined && isDatabase(given)) return given
    faults.push(hostsFault ?? urlFault(name, given, ['postgres:', 'postgresql:']))
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
      ? chooseProcesses(findMachine(), text('DATABASE_URL') === undefined)
      : integer('PROCESSES', 1, 1, MOST_PROCESSES, 'auto or ')
  const host = text('HOST') ?? '127.0.0.1'
  const port = integer('PORT', 8080, 0, 65535)
  const dataDir = text('DATA_DIR') ?? './data'
  const hostInUrl =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const storage = choice('STORAGE', 'local', ['local', 's3'])
  const imProvider = choice('IM_PROVIDER', 'embedded', ['embedded', 'ejabberd', 'easemob'])
  const publicUrl = url('PUBLIC_URL', ['http:', 'https:']) ?? `http://${hostInUrl}:${port}`
  const publicWebUrl = url('PUBLIC_WEB_URL', ['http:', 'https:'])
  const web = choice('WEB', 'on', ['on', 'off']) === 'on'
  const config = {
    host,
    port,
    publicUrl,
    /** True when generated URLs must follow the port that was bound. */
    publicUrlIsDerived: text('PUBLIC_URL') === undefined,
    /** Base URL of content in the web client, or a template with `{type}` and `{id}`. */
    publicWebUrl,
    databaseUrl: database('DATABASE_URL'),
    /** Address past the pooler of DATABASE_URL, for work that needs a session. */
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    /** How PostgreSQL plans prepared statements. A distributed database needs `auto` (docs/scaling.md). */
    databasePlanCacheMode: choice('DATABASE_PLAN_CACHE_MODE', 'force_generic_plan', PLAN_CACHE_MODES),
    /** Read replicas for guests. */
    databaseReplicaUrls: (text('DATABASE_REPLICA_URLS') ?? '')
      .split(/[\s,]+(?=postgres)/)
      .filter((each) => each !== '')
      .map((each) => database('DATABASE_REPLICA_URLS', each))
      .filter((each) => each !== undefined),
    /** Number of server processes. With more than one, a parent process supervises them. */
    processes,
    /** Connections of each process. */
    databasePoolSize: integer('DATABASE_POOL_SIZE', processes === 1 ? 10 : 6, 1, 200),
    statementTimeoutMs: integer('STATEMENT_TIMEOUT_MS', 10_000, 100, 600_000),
    /** Maximum age of a cached guest reply in milliseconds; 0 turns the cache off. */
    guestCacheMs: integer('GUEST_CACHE_MS', 1_000, 0, 60_000),
    /** Memory for cached reply fragments; 0 turns them off. */
    fragmentBytes: integer('FRAGMENTS_MB', 32, 0, 100_000) * 1024 * 1024,
    requestTimeoutMs: integer('REQUEST_TIMEOUT_MS', 120_000, 1_000, 600_000),
    requestIdleMs: integer('REQUEST_IDLE_MS', 15_000, 100, 600_000),
    /**
     * Limits for request bodies in transit: their number in a process and their memory. One address may use
     * an eighth.
     */
    unfinishedBodies: {
      bodies: integer('UNFINISHED_BODIES', 2_000, 8, 1_000_000),
      bytes: integer('UNFINISHED_BODIES_MB', 128, 8, 100_000) * 1024 * 1024,
    },
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
    /** Sender of mail; absent: `defaultSender`. */
    mailFrom: text('MAIL_FROM'),
    payments: readPaymentSettings(
      { text, url, faults },
      publicUrl,
      web ? `${publicUrl.replace(/\/+$/, '')}/wallet/recharge` : publicUrl,
    ),
    /** Services for text messages; none: messages go to the log. */
    sms: readTextSettings({ text, url, faults }),
    pushUrl: url('PUSH_URL', ['http:', 'https:']),
    pushSecret: text('PUSH_SECRET'),
    push: readPushServices(text, faults),
    webhooksAllowPrivate: choice('WEBHOOKS_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    /**
     * Whether messages to browsers may go to private addresses. Users give these addresses, and operators those
     * of webhooks, so each has its own setting.
     */
    pushAllowPrivate: choice('PUSH_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    imProvider,
    im: {
      /** Timeout of one request to the provider. */
      timeoutMs: integer('IM_TIMEOUT_MS', 5_000, 100, 60_000),
      /** How long a request waits for the provider before the server replies 202. */
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
    /** External sign-in providers by name. */
    outsideProviders: readOutsideProviders(env, read, faults, web),
    storage,
    s3: {
      endpoint: url('S3_ENDPOINT', ['http:', 'https:']),
      region: text('S3_REGION') ?? 'us-east-1',
      bucket: text('S3_BUCKET') ?? '',
      accessKeyId: text('S3_ACCESS_KEY_ID') ?? '',
      secretAccessKey: text('S3_SECRET_ACCESS_KEY') ?? '',
      forcePathStyle: choice('S3_FORCE_PATH_STYLE', 'true', ['true', 'false']) === 'true',
    },
    /** Interval of keep-alive writes to an open stream, so that proxies keep it open. */
    streamHeartbeatMs: integer('STREAM_HEARTBEAT_MS', 15_000, 50, 600_000),
    maxUploadBytes: integer('MAX_UPLOAD_BYTES', 10 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    /** Disk space for resized pictures; 0 caches none. */
    variantBytes: integer('VARIANT_BYTES', 1024 ** 3, 0, 1024 ** 4),
    corsOrigins: (text('CORS_ORIGINS') ?? '*').split(',').map((origin) => origin.trim()),
    /** Addresses of trusted reverse proxies, for X-Forwarded-For; empty: none. */
    trustProxy: text('TRUST_PROXY'),
    /** Whether the server serves the console at /admin, and builds it when it is missing. */
    console: choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    /** Whether the server serves the site at /, and builds it when it is missing. */
    web,
    /** Folder or `s3://bucket/prefix` for scheduled backups; absent: no backups. */
    backupTo: text('BACKUP_TO'),
    /** Schedule of backups: five crontab fields, UTC. */
    backupAt: text('BACKUP_AT') ?? '30 3 * * *',
    backupKeep: integer('BACKUP_KEEP', 7, 1, 1000),
    backupPassphrase: secret('BACKUP_PASSPHRASE', 12),
    metricsPublic: choice('METRICS', 'local', ['local', 'public']) === 'public',
    metricsHost: text('METRICS_HOST') ?? '127.0.0.1',
    metricsPort: integer('METRICS_PORT', 0, 0, 65535),
    /** How long a stopping server reports that it stops while it still accepts connections. */
    drainNoticeMs: integer('DRAIN_NOTICE_MS', 300, 0, 300_000),
    /** Whether servers and workers apply migrations at start. Otherwise they refuse to start when one is missing. */
    migrates: choice('MIGRATE', 'on', ['on', 'off']) === 'on',
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
  faults.push(...proxyFaults(config.trustProxy), ...originFaults(config.corsOrigins), ...retiredFaults(env))
  const names = [...known, ...providerVariables(env)]
  faults.push(...findMisspelledNames(env, [...names, ...fileVariables(names)]))
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

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
