import type { Text } from '#platform/errors.ts'

/** Returns the code or else the name of an error, because the error message may contain credentials. */
export const storeFaultCode = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  return typeof code === 'string' ? code : cause ? storeFaultCode(cause) : String(name)
}

/** Advice for operators about a fault of a folder or an object store, by its code. */
const ADVICE: readonly (readonly [RegExp, Text])[] = [
  [
    /^(NoSuchBucket|NotFound|NoSuchKey)$/,
    {
      en: 'The bucket does not exist. Create it, or correct its name.',
      zh: '存储桶不存在，请创建存储桶或更正其名称。',
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

export const storeAdvice = (error: unknown): Text | undefined => {
  const code = storeFaultCode(error)
  return ADVICE.find(([pattern]) => pattern.test(code))?.[1]
}
