import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBackupPlace } from '#backup/check.ts'
import type { Probe } from '#contracts/health-check.ts'
import { messageOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'
import { clientConfig, openSession } from '#platform/database'
import { findExistingFolder } from '#platform/files'
import { addressOf, bucketFault, diskFault, HealthFault, networkFault, targetOf } from '#platform/health'
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

async function checkReplica(url: string): Promise<void> {
  try {
    const session = await openSession({
      config: { ...clientConfig(url), query_timeout: PATIENCE_MS, connectionTimeoutMillis: PATIENCE_MS },
    })
    try {
      await session.sql`select 1`
    } finally {
      session.end()
    }
  } catch (error) {
    const { hostname, port } = new URL(url)
    const reason = databaseFault(error, url).message.replace(/^DATABASE_URL: |\.$/g, '')
    throw new HealthFault(
      'replica_answer',
      { address: addressOf({ host: hostname, port: port || 5432 }), reason },
      error,
    )
  }
}

const replicaProbe: Probe = {
  part: 'replicas',
  settings: 'DATABASE_REPLICA_URLS',
  worksAlone: true,
  isUsed: ({ config }) => config.databaseReplicaUrls.length > 0,
  async check({ config }: { config: Config }) {
    await Promise.all(config.databaseReplicaUrls.map(checkReplica))
  },
}

export const SERVICE_PROBES = [redisProbe, replicaProbe, uploadProbe, backupPlaceProbe, diskProbe]
