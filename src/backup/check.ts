import { access, constants } from 'node:fs/promises'
import type { Config } from '#platform/config'
import { findExistingFolder, openBucket, readBucketAddress } from '#platform/files'

/** Returns the code or else the name of an error, because the error message may contain credentials. */
const codeOf = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  return typeof code === 'string' ? code : cause ? codeOf(cause) : String(name)
}

async function reachBucket(address: string, s3: Config['s3']): Promise<void> {
  const { bucket, key } = readBucketAddress(address)
  for await (const _ of openBucket({ ...s3, bucket }).list(key, 1)) break
}

/**
 * Returns a warning instead of throwing, because a temporarily unreachable store must not stop the server
 * from starting.
 */
export async function findBackupFault({
  backupTo,
  s3,
}: Pick<Config, 'backupTo' | 's3'>): Promise<string | undefined> {
  if (backupTo === undefined) return undefined
  const isBucket = backupTo.startsWith('s3://')
  try {
    if (isBucket) await reachBucket(backupTo, s3)
    else await access(await findExistingFolder(backupTo), constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `BACKUP_TO: ${backupTo} cannot be ${isBucket ? 'reached' : 'written'} (${codeOf(error)}): no backups are made until this is fixed.`
  }
}
