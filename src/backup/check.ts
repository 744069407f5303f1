import { access, constants } from 'node:fs/promises'
import { messageOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'
import { findExistingFolder, openBucket, readBucketAddress } from '#platform/files'
import { bucketFault, diskFault, HealthFault } from '#platform/health'

type Place = Pick<Config, 'backupTo' | 's3'>

function bucketOf(backupTo: string) {
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

/** Throws a `HealthFault` when backups cannot be written to BACKUP_TO. */
export async function checkBackupPlace({ backupTo, s3 }: Place): Promise<void> {
  if (backupTo === undefined) return
  if (!backupTo.startsWith('s3://'))
    return findExistingFolder(backupTo)
      .then((folder) => access(folder, constants.W_OK | constants.X_OK))
      .catch((error) => {
        throw diskFault(error, backupTo) ?? error
      })
  const { bucket, key } = bucketOf(backupTo)
  try {
    // Reads only, because a bucket may forbid to delete a backup for a time.
    for await (const _ of openBucket({ ...s3, bucket }).list(key, 1)) break
  } catch (error) {
    throw bucketFault(error, { ...s3, bucket, setting: 'BACKUP_TO' }) ?? error
  }
}

/**
 * Returns a warning instead of throwing, because a temporarily unreachable store must not stop the server
 * from starting.
 */
export async function findBackupFault(place: Place): Promise<string | undefined> {
  try {
    await checkBackupPlace(place)
    return undefined
  } catch (error) {
    return `BACKUP_TO: ${messageOf(error)} No backups are made until this is fixed.`
  }
}
