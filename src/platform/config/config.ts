import { availableParallelism, totalmem } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { minimumSecretLength } from '#platform/app-secret.ts'
import { PLAN_CACHE_MODES } from '#platform/database'
import {
  crontabFaults,
  findMisspelledNames,
  hostFaults,
  originFaults,
  proxyFaults,
  publicUrlFaults,
  retiredFaults,
  senderFaults,
  severalHostsFault,
  siteNameFaults,
  urlFault,
} from './config-checks.ts'
import { likelyMistakes } from './likely-mistakes.ts'
import { providerVariables, readOutsideProviders } from './outside-providers.ts'
import { readPaymentSettings } from './payment-settings.ts'
import { readPushServices } from './push-settings.ts'
import { type Environment, fileVariables, settingReader } from './secret-files.ts'
import { readTextSettings } from './sms-settings.ts'

export type Config = ReturnType<typeof readConfig>

const IM_NEEDS = {
  embedded: [],
  ejabberd: ['IM_EJABBERD_URL', 'IM_EJABBERD_HOST', 'IM_EJABBERD_PASSWORD'],
  easemob: ['IM_EASEMOB_URL', 'IM_EASEMOB_APP_KEY', 'IM_EASEMOB_CLIENT_ID', 'IM_EASEMOB_CLIENT_SECRET'],
} as const

const DATABASE_PROTOCOLS = ['postgres:', 'postgresql:']

const isUrl = (text: string, protocols: readonly string[]) =>
  protocols.includes(URL.parse(text)?.protocol ?? '')

const GIGABYTE = 1024 ** 3
const MOST_PROCESSES = 64

export type Machine = { cores: number; memory: number }

function findMachine(): Machine {
  const limit = process.constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return { cores: availableParallelism(), memory }
}

/**
 * Chooses one process per core. An embedded database needs about as much CPU time as the server processes, so
 * the database gets half of the cores.
 */
export function chooseProcesses({ cores, memory }: Machine, hasEmbeddedDatabase: boolean): number {
  if (memory < 2 * GIGABYTE) return 1
  return Math.min(hasEmbeddedDatabase ? Math.ceil(cores / 2) : cores, MOST_PROCESSES)
}

export function readConfig(env: Environment) {
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
    if (isUrl(given, protocols)) return given.replace(/\/+$/, '')
    faults.push(urlFault(name, given, protocols))
    return undefined
  }
  const reader = { text, url, faults }
  const database = (name: string, address = text(name)) => {
    // Adds a host to the form of libpq that names a socket in the query, because a URL with a user needs a host.
    const given = address?.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost')
    if (given === undefined) return given
    const hostsFault = severalHostsFault(name, given)
    if (hostsFault === undefined && isUrl(given, DATABASE_PROTOCOLS)) return given
    faults.push(hostsFault ?? urlFault(name, given, DATABASE_PROTOCOLS))
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
    /**
     * True when PUBLIC_URL is not set. With PORT=0, `publicUrl` then changes to the port that the operating
     * system chose.
     */
    publicUrlIsDerived: text('PUBLIC_URL') === undefined,
    /** Base URL or template (`{type}`, `{id}`) for links to content in the web client. */
    publicWebUrl,
    databaseUrl: database('DATABASE_URL'),
    /** Connection URL that bypasses a pooler such as PgBouncer, for work that needs a database session. */
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    /** A distributed database needs `auto` (docs/scaling.md). */
    databasePlanCacheMode: choice('DATABASE_PLAN_CACHE_MODE', 'force_generic_plan', PLAN_CACHE_MODES),
    databaseReplicaUrls: (text('DATABASE_REPLICA_URLS') ?? '')
      .split(/[\s,]+(?=postgres)/)
      .filter((each) => each !== '')
      .map((each) => database('DATABASE_REPLICA_URLS', each))
      .filter((each) => each !== undefined),
    processes,
    databasePoolSize: integer('DATABASE_POOL_SIZE', processes === 1 ? 8 : 6, 1, 200),
    databaseWaitMs: integer('DATABASE_WAIT_MS', 5_000, 0, 3_600_000),
    statementTimeoutMs: integer('STATEMENT_TIMEOUT_MS', 10_000, 100, 600_000),
    guestCacheMs: integer('GUEST_CACHE_MS', 1_000, 0, 60_000),
    fragmentBytes: integer('FRAGMENTS_MB', 32, 0, 100_000) * 1024 * 1024,
    requestTimeoutMs: integer('REQUEST_TIMEOUT_MS', 120_000, 1_000, 600_000),
    requestIdleMs: integer('REQUEST_IDLE_MS', 15_000, 100, 600_000),
    /**
     * Limits per process for request bodies in transit. One client address may hold an eighth of each
     * limit.
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
      pages: integer('RATE_LIMIT_PAGES', 300, 0, 1_000_000),
      files: integer('RATE_LIMIT_FILES', 3_000, 0, 1_000_000),
      variants: integer('RATE_LIMIT_VARIANTS', 300, 0, 1_000_000),
    },
    appSecret: secret('APP_SECRET', minimumSecretLength),
    founderName: text('FOUNDER_NAME') ?? 'root',
    founderPassword: secret('FOUNDER_PASSWORD', 8),
    /** Name of the site until an administrator sets `site:name`. */
    siteName: text('SITE_NAME') ?? 'Kith',
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('MAIL_FROM'),
    payments: readPaymentSettings(reader, publicUrl, web ? `${publicUrl}/wallet/recharge` : publicUrl),
    sms: readTextSettings(reader),
    pushUrl: url('PUSH_URL', ['http:', 'https:']),
    pushSecret: text('PUSH_SECRET'),
    push: readPushServices(reader),
    webhooksAllowPrivate: choice('WEBHOOKS_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    /**
     * Separate from `webhooksAllowPrivate`, because users choose push endpoints and operators choose
     * webhooks.
     */
    pushAllowPrivate: choice('PUSH_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    imProvider,
    im: {
      /** Imported chat groups keep the ids of their provider until the operator has chosen one. */
      isChosen: text('IM_PROVIDER') !== undefined,
      timeoutMs: integer('IM_TIMEOUT_MS', 5_000, 100, 60_000),
      /** Maximum wait for the chat provider before the server responds with 202. */
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
    /** Interval of heartbeats on event streams. Without heartbeats, proxies would close idle streams. */
    streamHeartbeatMs: integer('STREAM_HEARTBEAT_MS', 15_000, 50, 600_000),
    maxUploadBytes: integer('MAX_UPLOAD_BYTES', 10 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    variantBytes: integer('VARIANT_BYTES', 1024 ** 3, 0, 1024 ** 4),
    corsOrigins: (text('CORS_ORIGINS') ?? '*').split(',').map((origin) => origin.trim()),
    trustProxy: text('TRUST_PROXY'),
    console: choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    web,
    /** Folder or `s3://bucket/prefix` for scheduled backups. Undefined disables scheduled backups. */
    backupTo: text('BACKUP_TO'),
    /** Five crontab fields in UTC. */
    backupAt: text('BACKUP_AT') ?? '30 3 * * *',
    /** Settings of backups that are made nowhere, because `BACKUP_TO` is missing. */
    backupPromises:
      text('BACKUP_TO') === undefined
        ? ['BACKUP_AT', 'BACKUP_KEEP', 'BACKUP_CHECK', 'BACKUP_PASSPHRASE'].filter((name) => text(name))
        : [],
    backupKeep: integer('BACKUP_KEEP', 7, 1, 1000),
    /** `weekly` restores the newest backup into a throw-away database each week. */
    backupCheck: choice('BACKUP_CHECK', 'off', ['off', 'weekly']),
    backupPassphrase: secret('BACKUP_PASSPHRASE', 12),
    metricsPublic: choice('METRICS', 'local', ['local', 'public']) === 'public',
    metricsHost: text('METRICS_HOST') ?? '127.0.0.1',
    metricsPort: integer('METRICS_PORT', 0, 0, 65535),
    /**
     * Time for load balancers to notice the failing readiness check before the server refuses connections.
     */
    drainNoticeMs: integer('DRAIN_NOTICE_MS', 300, 0, 300_000),
    /** With `off`, servers and workers refuse to start while a migration is pending. */
    migrates: choice('MIGRATE', 'on', ['on', 'off']) === 'on',
    worker: choice('WORKER', 'inside', ['inside', 'separate']),
    logLevel: choice('LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }
  if (config.databaseUrl === undefined)
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URLS'])
      if (text(name)) faults.push(`${name} requires DATABASE_URL`)
  if (storage === 's3')
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
      if (!text(name)) faults.push(`${name} is required when STORAGE=s3`)
  for (const name of IM_NEEDS[imProvider])
    if (!text(name)) faults.push(`${name} is required when IM_PROVIDER=${imProvider}`)
  if (imProvider === 'easemob' && config.im.easemob.appKey && !/^[^#]+#[^#]+$/.test(config.im.easemob.appKey))
    faults.push('IM_EASEMOB_APP_KEY must have the form organisation#application')
  faults.push(...crontabFaults('BACKUP_AT', config.backupAt))
  faults.push(...hostFaults({ SMTP_URL: config.smtpUrl, REDIS_URL: config.redisUrl }))
  faults.push(...senderFaults(config.mailFrom), ...siteNameFaults(text('SITE_NAME')))
  if (config.backupTo?.includes('://') && !/^s3:\/\/[^/?#]+(\/[^?#]*)?$/.test(config.backupTo))
    faults.push('BACKUP_TO must be a folder or s3://BUCKET/FOLDER')
  faults.push(...publicUrlFaults(text('PUBLIC_URL')))
  faults.push(...likelyMistakes(text, { dataDir, port, metricsPort: config.metricsPort, names: [...known] }))
  faults.push(...proxyFaults(config.trustProxy), ...originFaults(config.corsOrigins), ...retiredFaults(env))
  const names = [...known, ...providerVariables(env)]
  faults.push(...findMisspelledNames(env, [...names, ...fileVariables(names)]))
  if (faults.length > 0) throw new ConfigError(faults)
  /** Names of the settings that the environment has. */
  const given = [...known].filter((name) => read(name) !== undefined).sort()
  return { ...config, given }
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
