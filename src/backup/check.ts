import { randomUUID } from 'node:crypto'
import { access, constants, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, messageOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'
import { findExistingFolder, openBucket, readBucketAddress } from '#platform/files'
import { bucketFault, diskFault, HealthFault } from '#platform/health'

/** Ends a test at a silent store long before the client of the console gives up. */
const SILENCE_MS = 5_000

type Place = Pick<Config, 's3'> & { backupTo: string }

const isBucket = ({ backupTo }: Place) => backupTo.startsWith('s3://')

function bucketOf({ backupTo }: Place) {
  try {
    return readBucketAddress(backupTo)
  } catch (error) {
    throw new HealthFault(
      'service_answer',
      { reason: `${backupTo} names no bucket`, settings: 'BACKUP_TO' },
      error,
    )
  }
}

/** Names a fault without the message of an unknown error, because the message may contain credentials. */
export function placeFault(place: Place, error: unknown): HealthFault {
  if (error instanceof HealthFault) return error
  const { backupTo, s3 } = place
  const known = isBucket(place)
    ? bucketFault(error, { ...s3, bucket: bucketOf(place).bucket, setting: 'BACKUP_TO' })
    : diskFault(error, backupTo)
  const reason = `${backupTo} cannot be used (${codeOf(error) ?? (error as Error).name})`
  return known ?? new HealthFault('service_answer', { reason, settings: 'BACKUP_TO' }, error)
}

async function readPlace(place: Place): Promise<void> {
  if (isBucket(place)) {
    const { bucket, key } = bucketOf(place)
    for await (const _ of openBucket({ ...place.s3, bucket }).list(key, 1)) break
    return
  }
  await access(await findExistingFolder(place.backupTo), constants.W_OK | constants.X_OK)
}

async function writeTrial(place: Place): Promise<void> {
  const name = `kith-write-test-${randomUUID()}`
  if (isBucket(place)) {
    const { bucket: Bucket, key } = bucketOf(place)
    const bucket = openBucket({ ...place.s3, bucket: Bucket, silenceMs: SILENCE_MS })
    const object = key === '' ? name : `${key}/${name}`
    await bucket.put(object, Buffer.from('kith'), 'text/plain')
    await bucket.remove(object)
    return
  }
  const file = join(await findExistingFolder(place.backupTo), name)
  try {
    await writeFile(file, 'kith', { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
}

/**
 * Throws a `HealthFault` when backups cannot be written to BACKUP_TO. Reads only, because a bucket may forbid to
 * delete a backup for a time.
 */
export async function checkBackupPlace({ backupTo, s3 }: Pick<Config, 'backupTo' | 's3'>): Promise<void> {
  if (backupTo === undefined) return
  const place = { backupTo, s3 }
  try {
    await readPlace(place)
  } catch (error) {
    throw placeFault(place, error)
  }
}

/**
 * Writes and deletes a small file, because only that shows the rights, the space and the mode of the mount. Returns
 * the fault of the place, if any.
 */
export async function testBackupPlace(place: Place): Promise<HealthFault | undefined> {
  try {
    await writeTrial(place)
    return undefined
  } catch (error) {
    return placeFault(place, error)
  }
}

/**
 * Returns a warning instead of throwing, because a temporarily unreachable store must not stop the server
 * from starting.
 */
export async function findBackupFault(place: Pick<Config, 'backupTo' | 's3'>): Promise<string | undefined> {
  try {
    await checkBackupPlace(place)
    return undefined
  } catch (error) {
    return `BACKUP_TO: ${messageOf(error)} No backups are made until this is fixed.`
  }
}
