import { once } from 'node:events'
import { access, constants, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'
import { clientConfig, OLDEST_POSTGRES, openSession, type Session, sessionSettings } from '#platform/database'
import { findExistingFolder } from '#platform/files'
import type { Log } from '#platform/observability'
import { dataDirFault, StartFault, startFault } from '#platform/start-fault.ts'

const PATIENCE_MS = 10_000
/** Free disk space in bytes that a start needs, with a new or an existing embedded database. */
const ROOM = { new: 100 * 1024 * 1024, existing: 1024 * 1024 }

type Target = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort'>

export function listenFault(error: unknown, { host, port, metricsHost, metricsPort }: Target): unknown {
  const {
    code,
    syscall,
    port: failed,
    ...given
  } = (error ?? {}) as NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string }
  if (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo') return error
  const name = failed === metricsPort && failed !== port ? 'METRICS_PORT' : 'PORT'
  const at = failed ?? port
  const isOfMetrics = (given.address ?? given.hostname) === metricsHost && metricsHost !== host
  const wrongHost = isOfMetrics
    ? `METRICS_HOST: ${metricsHost} is not an address of this machine: set it to 127.0.0.1, or to an address of a private network.`
    : `HOST: ${host} is not an address of this machine: set HOST to 127.0.0.1, or to 0.0.0.0 for all its addresses.`
  const reasons: Record<string, string> = {
    EADDRINUSE: `${name}: port ${at} is already in use: stop the other program, or set ${name} to another number.`,
    EACCES: `${name}: this user may not listen on port ${at}: set ${name} to a number above 1023, with a reverse proxy in front.`,
    EADDRNOTAVAIL: wrongHost,
    EINVAL: wrongHost,
    ENOTFOUND: wrongHost,
    EAI_AGAIN: wrongHost,
  }
  const reason = reasons[code ?? '']
  return reason === undefined ? error : new StartFault(reason)
}

/** Prints an error that the operator can fix as a sentence, and logs any other error. */
export function reportStartError(error: unknown, config: Target & Pick<Config, 'dataDir'>, log: Log): void {
  const fault = startFault(listenFault(error, config), config.dataDir)
  if (fault instanceof StartFault) process.stderr.write(`${fault.message}\n`)
  else log.fatal({ err: error }, 'startup failed')
}

/** Binds and releases each port, so that a conflict is reported before the database starts. */
export async function checkAddresses(config: Target): Promise<void> {
  const probe = async (host: string, port: number) => {
    await using server = createServer().listen({ host, port, exclusive: true })
    await once(server, 'listening')
  }
  try {
    await probe(config.host, config.port)
    if (config.metricsPort > 0) await probe(config.metricsHost, config.metricsPort)
  } catch (error) {
    throw listenFault(error, config)
  }
}

export async function checkDataDir({
  dataDir,
  databaseUrl,
  storage = 'local',
}: Pick<Config, 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'storage'>>): Promise<void> {
  const place = await findExistingFolder(dataDir).catch((error: NodeJS.ErrnoException) => {
    throw dataDirFault(error.code === 'ENOTDIR' ? 'ENOTDIR' : 'EACCES', dataDir)
  })
  // Some file systems reject writes despite these permissions, so the next line creates a folder.
  await access(place, constants.W_OK | constants.X_OK)
    .then(async () => rmdir(await mkdtemp(join(place, '.kith-'))))
    .catch((error: NodeJS.ErrnoException) => {
      throw dataDirFault(error.code ?? 'EACCES', dataDir)
    })
  const uploads = join(dataDir, 'uploads')
  if (storage === 'local' && (await stat(uploads).catch(() => undefined))?.isDirectory() === false)
    throw new StartFault(`DATA_DIR: ${uploads} is a file, but must be a folder: move it away.`)
  const cluster = await stat(join(dataDir, 'postgres', 'cluster', 'PG_VERSION')).catch(() => undefined)
  const uid = process.getuid?.()
  if (databaseUrl === undefined && cluster && uid !== undefined && uid !== 0 && cluster.uid !== uid)
    throw new StartFault(
      `DATA_DIR: the database in ${dataDir} belongs to the user with id ${cluster.uid}, but this process runs as ${uid}: start as that user, or change the owner of the whole folder.`,
    )
  const disk = await statfs(place).catch(() => undefined)
  const needed = databaseUrl === undefined && !cluster ? ROOM.new : ROOM.existing
  // Some file systems report a size of zero, so their free space is unknown.
  if (disk && disk.blocks > 0 && disk.bavail * disk.bsize < needed) throw dataDirFault('ENOSPC', dataDir)
}

/** Explains a failed connection without repeating `url`, because `url` may contain a password. */
export function databaseFault(error: unknown, url: string): StartFault {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string }
  const { hostname: named, port: numbered, username, pathname, searchParams } = new URL(url)
  const hostname = searchParams.get('host') ?? named
  const at = `${hostname || 'the local socket'}:${searchParams.get('port') ?? (numbered || 5432)}`
  const user = decodeURIComponent(username) || 'none'
  const name = decodeURIComponent(pathname.slice(1)) || user
  const reasons: Record<string, string> = {
    ECONNREFUSED: `nothing answers at ${at}: start PostgreSQL there, or correct the address`,
    ENOENT: `there is no socket of PostgreSQL at ${at}: start PostgreSQL, or correct the address`,
    ENOTFOUND: `there is no host ${hostname}: correct the address`,
    EAI_AGAIN: `the name ${hostname} cannot be looked up: correct the address, or the name service of this machine`,
    CONNECT_TIMEOUT: `no PostgreSQL answers at ${at} within ten seconds: correct the address, or the firewall in between`,
    ETIMEDOUT: `${at} does not answer: correct the address, or the firewall in between`,
    EHOSTUNREACH: `${at} cannot be reached: correct the address, or the network`,
    ENETUNREACH: `${at} cannot be reached: correct the address, or the network`,
    CONNECTION_CLOSED: `no PostgreSQL answers at ${at}, which breaks the connection: correct the address`,
    '08P01': `the server at ${at} refuses the parameters of a session (${message}): for PgBouncer, set ignore_startup_parameters = options and max_prepared_statements (docs/scaling.md#pgbouncer)`,
    '28P01': `the database refuses the user ${user} or its password: correct them`,
    '28000': `the database does not allow the user ${user} to connect from here: correct the user, or allow it in pg_hba.conf`,
    '3D000': `there is no database ${name} at ${at}: create it with createdb, or correct the name`,
    '53300': `the database at ${at} has no connection left: raise its max_connections, or lower DATABASE_POOL_SIZE`,
    '57P03': `the database at ${at} is still starting: try again in a moment`,
  }
  const reason = reasons[code ?? ''] ?? `the database at ${at} cannot be used (${code ?? message})`
  return new StartFault(`DATABASE_URL: ${reason}.`, { cause: error })
}

export type FoundDatabase = {
  version: number
  encoding: string
  isReplica: boolean
  mayCreate: boolean
  isNew: boolean
}

export function findUnfitness({ version, encoding, isReplica, mayCreate, isNew }: FoundDatabase) {
  if (version < OLDEST_POSTGRES)
    return `PostgreSQL ${version} is too old: ${OLDEST_POSTGRES} or later is needed`
  if (encoding !== 'UTF8')
    return `the database is in ${encoding}: create it with \`createdb --encoding=UTF8 --template=template0\``
  if (isReplica) return 'this is a read-only replica: use its primary'
  if (isNew && !mayCreate) return 'its user may not create tables: make it the owner of the database'
  return undefined
}

/** Codes of a database that starts, recovers or is about to be started. */
const PASSING = new Set(['57P03', 'ECONNREFUSED', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ENOENT'])
const RETRY_MS = 500

/** Waits up to `waitMs` for a database that starts or recovers, because a node may start meanwhile. */
export async function checkDatabase(url: string, waitMs = 0, log?: Log): Promise<void> {
  const end = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false)
    try {
      return await inspectDatabase(url)
    } catch (error) {
      const code = codeOf((error as Error).cause)
      if (!PASSING.has(code ?? '') || performance.now() > end) throw error
      if (isFirst) log?.warn({ seconds: Math.round(waitMs / 1000) }, 'waiting for the database to answer')
      await pause(RETRY_MS * (0.75 + Math.random() / 2))
    }
}

async function inspectDatabase(url: string): Promise<void> {
  let session: Session | undefined
  try {
    session = await openSession({
      config: {
        // Sends session parameters, so that an unsuitable pooler fails at the start and not with the first
        // request.
        ...clientConfig(url, sessionSettings({ statementTimeoutMs: PATIENCE_MS })),
        query_timeout: PATIENCE_MS,
      },
    })
    const [found] = await session.sql<[FoundDatabase]>`
      select current_setting('server_version_num')::int / 10000 as version,
             current_setting('server_encoding') as encoding,
             pg_is_in_recovery() as "isReplica",
             coalesce(has_schema_privilege(current_schema(), 'create'), false)
               and has_database_privilege(current_database(), 'create') as "mayCreate",
             to_regclass('schema_migrations') is null as "isNew"`
    const fault = findUnfitness(found)
    if (fault) throw new StartFault(`DATABASE_URL: ${fault}.`)
  } catch (error) {
    throw error instanceof StartFault ? error : databaseFault(error, url)
  } finally {
    session?.end()
  }
}
