import { access, constants, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import type { Config } from '#platform/config.ts'
import { dataDirFault, StartFault } from '#platform/start-fault.ts'

const OLDEST_POSTGRES = 15
const PATIENCE_MS = 10_000
/** What a new embedded database takes with its first log, and what a start writes beside an existing one. */
const ROOM = { new: 100 * 1024 * 1024, existing: 1024 * 1024 }

type Target = Pick<Config, 'host' | 'port' | 'metricsPort'>

/** What keeps a server from listening, as a sentence; other errors as they are. */
export function listenFault(error: unknown, { host, port, metricsPort }: Target): unknown {
  const { code, syscall, port: failed } = (error ?? {}) as NodeJS.ErrnoException & { port?: number }
  if (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo') return error
  const name = failed === metricsPort && failed !== port ? 'METRICS_PORT' : 'PORT'
  const at = failed ?? port
  switch (code) {
    case 'EADDRINUSE':
      return new StartFault(
        `${name}: something listens on port ${at} already: stop it, or set ${name} to another number.`,
      )
    case 'EACCES':
      return new StartFault(
        `${name}: this user may not listen on port ${at}: set ${name} to a number above 1023, with a reverse proxy in front.`,
      )
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartFault(
        `HOST: ${host} is no address of this machine: set HOST to 127.0.0.1, or to 0.0.0.0 for all its addresses.`,
      )
    default:
      return error
  }
}

/** Whether the server will be able to listen; throws what an operator can put right. */
export async function checkAddresses(config: Target): Promise<void> {
  const probe = (host: string, port: number) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer()
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
    })
  try {
    if (config.port > 0) await probe(config.host, config.port)
    else await probe(config.host, 0)
    if (config.metricsPort > 0) await probe('127.0.0.1', config.metricsPort)
  } catch (error) {
    throw listenFault(error, config)
  }
}

/** Whether the data directory can be used, before anything is written there. */
export async function checkDataDir({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<void> {
  let place = dataDir
  for (;;) {
    const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw dataDirFault(error.code === 'ENOTDIR' ? 'ENOTDIR' : 'EACCES', dataDir)
    })
    if (found && !found.isDirectory()) throw dataDirFault('ENOTDIR', dataDir)
    if (found || place === dirname(place)) break
    place = dirname(place)
  }
  // Permissions do not say everything: some file systems refuse even root, or make no folders.
  await access(place, constants.W_OK | constants.X_OK)
    .then(async () => rmdir(await mkdtemp(join(place, '.kith-'))))
    .catch((error: NodeJS.ErrnoException) => {
      throw dataDirFault(error.code ?? 'EACCES', dataDir)
    })
  const cluster = await stat(join(dataDir, 'postgres', 'cluster', 'PG_VERSION')).catch(() => undefined)
  const uid = process.getuid?.()
  if (databaseUrl === undefined && cluster && uid !== undefined && uid !== 0 && cluster.uid !== uid)
    throw new StartFault(
      `DATA_DIR: the database in ${dataDir} belongs to the user with id ${cluster.uid}, and this one is ${uid}: start as that user, or change the owner of the whole folder.`,
    )
  const disk = await statfs(place).catch(() => undefined)
  const needed = databaseUrl === undefined && !cluster ? ROOM.new : ROOM.existing
  // Some file systems do not say how large they are.
  if (disk && disk.blocks > 0 && disk.bavail * disk.bsize < needed) throw dataDirFault('ENOSPC', dataDir)
}

/** Why a database cannot be used, as a sentence; `url` may hold a password and is never repeated. */
function databaseFault(error: unknown, url: string): StartFault {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string }
  const { hostname, port, username, pathname } = new URL(url)
  const at = `${hostname || 'the local socket'}:${port || 5432}`
  const user = decodeURIComponent(username) || 'none'
  const name = decodeURIComponent(pathname.slice(1)) || user
  const reasons: Record<string, string> = {
    ECONNREFUSED: `nothing answers at ${at}: start PostgreSQL there, or correct the address`,
    ENOTFOUND: `there is no host ${hostname}: correct the address`,
    EAI_AGAIN: `the name ${hostname} cannot be looked up: correct the address, or the name service of this machine`,
    CONNECT_TIMEOUT: `no PostgreSQL answers at ${at} within ten seconds: correct the address, or the firewall between`,
    ETIMEDOUT: `${at} does not answer: correct the address, or the firewall between`,
    EHOSTUNREACH: `${at} cannot be reached: correct the address, or the network`,
    ENETUNREACH: `${at} cannot be reached: correct the address, or the network`,
    '28P01': `the database refuses the user ${user} or its password: correct them`,
    '28000': `the database lets the user ${user} in from nowhere here: correct the user, or allow it in pg_hba.conf`,
    '3D000': `there is no database ${name} at ${at}: make it with createdb, or correct the name`,
    '53300': `the database at ${at} has no connection left: raise its max_connections, or lower DATABASE_POOL_SIZE`,
    '57P03': `the database at ${at} is still starting: try again in a moment`,
  }
  const reason = reasons[code ?? ''] ?? `the database at ${at} cannot be used (${code ?? message})`
  return new StartFault(`DATABASE_URL: ${reason}.`)
}

/** What a database says of itself and of the user that asks. */
export type FoundDatabase = {
  version: number
  encoding: string
  isReplica: boolean
  mayCreate: boolean
  isNew: boolean
}

/** What makes a database that answers unfit; undefined when nothing does. */
export function findUnfitness({ version, encoding, isReplica, mayCreate, isNew }: FoundDatabase) {
  if (version < OLDEST_POSTGRES)
    return `PostgreSQL ${version} is too old: ${OLDEST_POSTGRES} or later is needed`
  if (encoding !== 'UTF8')
    return `the database is in ${encoding}: make it with \`createdb --encoding=UTF8 --template=template0\``
  if (isReplica) return 'this is a replica, which only reads: name the database that it follows'
  if (isNew && !mayCreate) return 'its user may make no tables there: let it own the database'
  return undefined
}

/** Whether an external database can be used: reachable, let in, new enough, writable, and in Unicode. */
export async function checkDatabase(url: string): Promise<void> {
  let sql: postgres.Sql | undefined
  let timer: NodeJS.Timeout | undefined
  // The driver tries for ever where a connection is taken and ended again, as something other than PostgreSQL does.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('late'), { code: 'CONNECT_TIMEOUT' })),
      PATIENCE_MS,
    )
  })
  try {
    sql = postgres(url, {
      max: 1,
      fetch_types: false,
      connect_timeout: PATIENCE_MS / 1000,
      onnotice: () => {},
    })
    const asked = sql<[FoundDatabase]>`
      select current_setting('server_version_num')::int / 10000 as version,
             current_setting('server_encoding') as encoding,
             pg_is_in_recovery() as "isReplica",
             coalesce(has_schema_privilege(current_schema(), 'create'), false)
               and has_database_privilege(current_database(), 'create') as "mayCreate",
             to_regclass('schema_migrations') is null as "isNew"`
    const [found] = await Promise.race([asked, late])
    const fault = findUnfitness(found)
    if (fault) throw new StartFault(`DATABASE_URL: ${fault}.`)
  } catch (error) {
    throw error instanceof StartFault ? error : databaseFault(error, url)
  } finally {
    clearTimeout(timer)
    await sql?.end({ timeout: 0 }).catch(() => {})
  }
}
