import { randomUUID } from 'node:crypto'
import { access, constants, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config'
import type { Text } from '#platform/errors.ts'
import { findExistingFolder, openBucket, readBucketAddress } from '#platform/files'

/** Ends a test at a silent store long before the client of the console gives up. */
const SILENCE_MS = 5_000

type Place = Pick<Config, 's3'> & { backupTo: string }

/** Returns the code or else the name of an error, because the error message may contain credentials. */
const codeOf = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  return typeof code === 'string' ? code : cause ? codeOf(cause) : String(name)
}

/** What an operator can do about a fault, by its code. */
const ADVICE: readonly (readonly [RegExp, Text])[] = [
  [
    /^(NoSuchBucket|NotFound|NoSuchKey)$/,
    {
      en: 'The bucket does not exist. Create it, or correct BACKUP_TO.',
      zh: '存储桶不存在，请创建存储桶或更正 BACKUP_TO。',
    },
  ],
  [
    /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError)$/,
    {
      en: 'The object store does not answer. Check the host and the port of S3_ENDPOINT.',
      zh: '对象存储没有响应，请检查 S3_ENDPOINT 的主机和端口。',
    },
  ],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch)$/,
    {
      en: 'The object store does not accept the key. Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
      zh: '对象存储不接受该密钥，请检查 S3_ACCESS_KEY_ID 和 S3_SECRET_ACCESS_KEY。',
    },
  ],
  [
    /^(AccessDenied|Forbidden)$/,
    {
      en: 'The key may not use this bucket. Allow it to list, read, write and delete objects.',
      zh: '该密钥无权使用此存储桶，请授予列出、读取、写入和删除对象的权限。',
    },
  ],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed)$/,
    { en: 'The bucket is in another region. Check S3_REGION.', zh: '存储桶位于其他区域，请检查 S3_REGION。' },
  ],
  [
    /CERT|SSL|TLS/,
    {
      en: 'The certificate of S3_ENDPOINT is not accepted.',
      zh: 'S3_ENDPOINT 的证书不受信任。',
    },
  ],
  [/^ENOTDIR$/, { en: 'A part of the path is a file.', zh: '路径中有一部分是文件。' }],
  [
    /^(EACCES|EPERM)$/,
    {
      en: 'The user of the server may not write there. Change the owner or the mode of the folder.',
      zh: '运行服务器的用户没有写入权限，请修改文件夹的所有者或权限。',
    },
  ],
  [/^EROFS$/, { en: 'The file system is read-only.', zh: '该文件系统为只读。' }],
  [/^(ENOSPC|EDQUOT)$/, { en: 'The disk is full.', zh: '磁盘空间已满。' }],
]

function faultText({ backupTo }: Place, error: unknown): Text {
  const code = codeOf(error)
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(code)) ?? []
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
