import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { checkBackupPlace } from '#backup/check.ts'
import type { Probe } from '#contracts/health-check.ts'
import { messageOf } from '#lib/faults.ts'
import { clientConfig, type Db, openSession } from '#platform/database'
import { findExistingFolder } from '#platform/files'
import { addressOf, bucketFault, diskFault, HealthFault, networkFault, targetOf } from '#platform/health'
import { listNodes, type ServerNode } from '#platform/nodes.ts'
import { databaseFault } from '#startup/start-checks.ts'

const PATIENCE_MS = 8_000

const uploadProbe: Probe = {
  part: 'uploads',
  settings: 'STORAGE and the settings of its store',
  worksAlone: true,
  isUsed: () => true,
  // Writes a file to the storage, because only a write detects a full disk or a missing permission.
  async check({ config: { s3, dataDir }, storage }) {
    const key = `health/${randomUUID()}`
    try {
      await storage.put(key, Buffer.from('ok'), { mime: 'text/plain' })
      await storage.remove(key)
    } catch (error) {
      const named =
        storage.vendor === 's3'
          ? bucketFault(error, { ...s3, setting: 'S3_BUCKET' })
          : diskFault(error, join(dataDir, 'uploads'))
      throw named ?? error
    }
  },
}

const backupPlaceProbe: Probe = {
  part: 'backup_place',
  settings: 'BACKUP_TO',
  worksAlone: true,
  isUsed: ({ config }) => config.backupTo !== undefined,
  check: ({ config }) => checkBackupPlace(config),
}

/** Free space in bytes of the data folder, below which a site has hours or days left. */
const ROOM = 1_000_000_000
/** Free space in bytes, below which a database stops soon. */
const NO_ROOM = 100_000_000

export function roomFault(path: string, free: number): HealthFault | undefined {
  if (free < NO_ROOM) return new HealthFault('disk_full', { path })
  return free < ROOM
    ? new HealthFault('disk_low', { path, free: `${Math.floor(free / 1_000_000)} MB` })
    : undefined
}

const diskProbe: Probe = {
  part: 'disk',
  isSilent: true,
  settings: 'DATA_DIR',
  worksAlone: true,
  isUsed: () => true,
  async check({ config: { dataDir } }) {
    const { blocks, bavail, bsize } = await statfs(await findExistingFolder(dataDir))
    // Some file systems report a size of zero, so their free space is unknown.
    const fault = blocks > 0 ? roomFault(dataDir, bavail * bsize) : undefined
    if (fault) throw fault
  },
}

function redisFault(error: unknown, url: string): HealthFault {
  const target = targetOf('REDIS_URL', url)
  const address = addressOf(target)
  const message = messageOf(error)
  if (/^(NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/.test(message))
    return new HealthFault('redis_password', { address }, error)
  if (message.startsWith('READONLY')) return new HealthFault('redis_read_only', { address }, error)
  if (/Command timed out|connect ETIMEDOUT/.test(message))
    return new HealthFault('no_reply', { ...target, address }, error)
  return (
    networkFault(error, target) ??
    new HealthFault('redis_answer', { address, reason: message.slice(0, 120) }, error)
  )
}

/** Writes a key on a connection of its own, because the rate limiter hides the reason of an outage. */
async function checkRedis(url: string): Promise<void> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: PATIENCE_MS / 2,
    commandTimeout: PATIENCE_MS / 2,
  })
  let failure: unknown
  redis.on('error', (error) => {
    failure ??= error
  })
  try {
    await redis.connect()
    await redis.set('kith:health', '1', 'EX', 60)
  } catch (error) {
    // The command fails with "Connection is closed", whose reason only the event has.
    throw redisFault(failure ?? error, url)
  } finally {
    redis.disconnect()
  }
}

const redisProbe: Probe = {
  part: 'redis',
  settings: 'REDIS_URL',
  worksAlone: true,
  isUsed: ({ config }) => config.redisUrl !== undefined,
  check: ({ config }) => checkRedis(config.redisUrl ?? ''),
}

/** Lag of a replica in seconds that no burst of writes explains. */
const MOST_LAG = 30
/** Time in milliseconds in which a replica applies what it has just received. */
const APPLY_MS = 1_000

type FoundReplica = { isReplica: boolean; identity: string; received: string | null; seconds: number | null }

/** Throws when the server is no replica of `primary`, or has long not applied what it received. */
async function checkStanding(sql: Db, primary: Db, address: string): Promise<void> {
  const [{ identity }] = await primary<[{ identity: string }]>`
    select current_database() || ' ' || system_identifier as identity from pg_control_system()`
  const [found] = await sql<[FoundReplica]>`
    select pg_is_in_recovery() as "isReplica", current_database() || ' ' || system_identifier as identity,
      pg_last_wal_receive_lsn()::text as received,
      extract(epoch from now() - pg_last_xact_replay_timestamp())::double precision as seconds
    from pg_control_system()`
  if (!found.isReplica) throw new HealthFault('replica_primary', { address })
  if (found.identity !== identity) throw new HealthFault('replica_other', { address })
  if (found.received === null || (found.seconds ?? 0) < MOST_LAG) return
  // The last transaction is also old on a site without writes, so the position tells whether anything waits.
  await pause(APPLY_MS)
  const [{ isBehind }] = await sql<[{ isBehind: boolean }]>`
    select pg_last_wal_replay_lsn() < ${found.received}::pg_lsn as "isBehind"`
  if (isBehind)
    throw new HealthFault('database_lag', { replica: address, seconds: Math.round(found.seconds ?? 0) })
}

async function checkReplica(url: string, primary: Db): Promise<void> {
  const { hostname, port } = new URL(url)
  const address = addressOf({ host: hostname, port: port || 5432 })
  try {
    const session = await openSession({
      config: { ...clientConfig(url), query_timeout: PATIENCE_MS, connectionTimeoutMillis: PATIENCE_MS },
    })
    try {
      await checkStanding(session.sql, primary, address)
    } finally {
      session.end()
    }
  } catch (error) {
    if (error instanceof HealthFault) throw error
    const reason = databaseFault(error, url).message.replace(/^DATABASE_URL: |\.$/g, '')
    throw new HealthFault('replica_answer', { address, reason }, error)
  }
}

const replicaProbe: Probe = {
  part: 'replicas',
  settings: 'DATABASE_REPLICA_URLS',
  worksAlone: true,
  isUsed: ({ config }) => config.databaseReplicaUrls.length > 0,
  async check({ config, sql }) {
    await Promise.all(config.databaseReplicaUrls.map((url) => checkReplica(url, sql)))
  },
}

/** Compares the places of uploads, because with `STORAGE=local` each machine has a folder of its own. */
const nodeProbe: Probe = {
  part: 'nodes',
  isSilent: true,
  settings: 'STORAGE and DATA_DIR',
  isUsed: () => true,
  async check({ sql }) {
    const nodes = await listNodes(sql)
    const known = nodes.filter(({ store }) => store !== null)
    if (new Set(known.map(({ store }) => store)).size < 2) return
    throw new HealthFault('uploads_apart', { nodes: nodesByStore(known) })
  },
}

/** Lists one host of each place. Hosts of several places have the same name on one machine. */
const nodesByStore = (nodes: readonly ServerNode[]): string =>
  [...new Map(nodes.map(({ store, host }) => [store, host])).values()].join(', ')

export const SERVICE_PROBES = [redisProbe, replicaProbe, uploadProbe, nodeProbe, backupPlaceProbe, diskProbe]
