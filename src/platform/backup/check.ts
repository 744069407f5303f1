import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '#platform/config.ts'
import { openBucket, readBucketAddress } from '#platform/storage/s3.ts'

/** The code or the name of an error: never its text, which may hold an address with a password. */
const codeOf = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  return typeof code === 'string' ? code : cause ? codeOf(cause) : String(name)
}

/** Why a folder cannot be written, or made below the nearest that exists. */
async function folderFault(folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await stat(place).catch((error) => codeOf(error))
    if (found === 'ENOENT' && place !== dirname(place)) continue
    if (typeof found === 'string') return found
    if (!found.isDirectory()) return 'ENOTDIR'
    return access(place, constants.W_OK | constants.X_OK).then(() => undefined, codeOf)
  }
}

async function bucketFault(address: string, s3: Config['s3']): Promise<string | undefined> {
  try {
    const { bucket, key } = readBucketAddress(address)
    await openBucket({ ...s3, bucket }).list(key, 1)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

/**
 * What keeps scheduled backups from being written, as a sentence; undefined where nothing does, or none are made. A place
 * may be away for a while, so it is told and keeps no server from starting.
 */
export async function findBackupFault({
  backupTo,
  s3,
}: Pick<Config, 'backupTo' | 's3'>): Promise<string | undefined> {
  if (backupTo === undefined) return undefined
  const isBucket = backupTo.startsWith('s3://')
  const fault = await (isBucket ? bucketFault(backupTo, s3) : folderFault(backupTo))
  if (fault === undefined) return undefined
  return `BACKUP_TO: ${backupTo} cannot be ${isBucket ? 'reached' : 'written'} (${fault}): no backup is made until it can.`
}
