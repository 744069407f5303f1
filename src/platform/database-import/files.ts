import { readFile, stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { StorageError } from '#platform/storage/errors.ts'
import { createS3Storage, type S3Options } from '#platform/storage/s3.ts'

/** Where the bytes of the files of a source are. */
export type FileSource = {
  /** Undefined when there is no such file. */
  read(path: string): Promise<Buffer | undefined>
  has(path: string): Promise<boolean>
  /** Whether anything may lie below this; true where that cannot be told. */
  hasFolder(path: string): Promise<boolean>
}

const isInside = (path: string) => !path.startsWith('/') && !path.split('/').includes('..')

/** A folder, or `s3://bucket/prefix` with the credentials of the configuration. */
export function openFiles(place: string, s3: S3Options): FileSource {
  if (place.startsWith('s3://')) {
    const { hostname: bucket, pathname } = new URL(place)
    const prefix = pathname.replace(/^\/+|\/+$/g, '')
    const storage = createS3Storage({ ...s3, bucket })
    const key = (path: string) => (prefix === '' ? path : `${prefix}/${path}`)
    return {
      async read(path) {
        try {
          return await buffer((await storage.open(key(path))).stream)
        } catch (error) {
          if (error instanceof StorageError && ['missing', 'invalid_key'].includes(error.fault))
            return undefined
          throw error
        }
      },
      has: (path) => storage.exists(key(path)),
      hasFolder: async () => true,
    }
  }
  const absent = (error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined
    throw error
  }
  const below = (path: string) => {
    const clean = normalize(path.replaceAll('\\', '/'))
    return isInside(clean) ? join(place, clean) : undefined
  }
  return {
    async read(path) {
      const at = below(path)
      return at === undefined ? undefined : await readFile(at).catch(absent)
    },
    async has(path) {
      const at = below(path)
      return at !== undefined && ((await stat(at).catch(absent))?.isFile() ?? false)
    },
    async hasFolder(path) {
      const at = below(path)
      return at !== undefined && ((await stat(at).catch(absent))?.isDirectory() ?? false)
    },
  }
}

/** A source whose files are not given: every one is missing. */
export const NO_FILES: FileSource = {
  read: async () => undefined,
  has: async () => false,
  hasFolder: async () => false,
}
