import { randomUUID } from 'node:crypto'
import { access, constants, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config'
import type { Text } from '#platform/errors.ts'
import {
  findExistingFolder,
  openBucket,
  readBucketAddress,
  storeAdvice,
  storeFaultCode,
} from '#platform/files'

/** Ends a test at a silent store long before the client of the console gives up. */
const SILENCE_MS = 5_000

type Place = Pick<Config, 's3'> & { backupTo: string }

function faultText({ backupTo }: Place, error: unknown): Text {
  const code = storeFaultCode(error)
  const advice = storeAdvice(error)
  const isBucket = backupTo.startsWith('s3://')
  const sentence = {
    en: `BACKUP_TO: ${backupTo} cannot be ${isBucket ? 'reached' : 'written'} (${code}):`,
    zh: `BACKUP_TO：${backupTo} 无法${isBucket ? '访问' : '写入'}（${code}）：`,
  }
  return {
    en: `${sentence.en} ${advice ? `${advice.en} No` : 'no'} backups are made until this is fixed.`,
    zh: `${sentence.zh}${advice?.zh ?? ''}修复之前不会进行备份。`,
  }
}

async function reachBucket(address: string, s3: Config['s3']): Promise<void> {
  const { bucket, key } = readBucketAddress(address)
  for await (const _ of openBucket({ ...s3, bucket }).list(key, 1)) break
}

/** Writes and deletes a small file, because only that shows the rights, the space and the mode of the mount. */
async function writeTrial({ backupTo, s3 }: Place): Promise<void> {
  const name = `kith-write-test-${randomUUID()}`
  if (backupTo.startsWith('s3://')) {
    const { bucket: Bucket, key } = readBucketAddress(backupTo)
    const bucket = openBucket({ ...s3, bucket: Bucket, silenceMs: SILENCE_MS })
    const object = key === '' ? name : `${key}/${name}`
    await bucket.put(object, Buffer.from('kith'), 'text/plain')
    await bucket.remove(object)
    return
  }
  const file = join(await findExistingFolder(backupTo), name)
  try {
    await writeFile(file, 'kith', { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
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
  try {
    if (backupTo.startsWith('s3://')) await reachBucket(backupTo, s3)
    else await access(await findExistingFolder(backupTo), constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return faultText({ backupTo, s3 }, error).en
  }
}

/** Returns what is wrong with the place of backups, or undefined after a file was written and deleted there. */
export async function testBackupPlace(place: Place): Promise<Text | undefined> {
  try {
    await writeTrial(place)
    return undefined
  } catch (error) {
    return faultText(place, error)
  }
}
