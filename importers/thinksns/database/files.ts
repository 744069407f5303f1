import { opendir, readFile, stat } from 'node:fs/promises'
import { join, normalize, posix, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBucket, present, readBucketAddress, type S3Options } from '#platform/files'

export type SourceBytes = Buffer | 'missing' | 'too large'

export type FileSource = {
  read<T>(path: string, use: (bytes: SourceBytes) => Promise<T>): Promise<T>
  /** Lists all files below a folder. The version of a file changes whenever its bytes do. */
  list(folder: string): AsyncIterable<{ path: string; version: string }>
}

const MEGABYTE = 1024 * 1024
/** Maximum total bytes in memory. A larger file is read alone. */
const MAX_BYTES = 64 * MEGABYTE
const LARGEST = 512 * MEGABYTE

/** Returns a semaphore that admits files in order, up to `total` bytes in memory. */
function createRoom(total: number) {
  let free = total
  const waiting: { size: number; enter: () => void }[] = []
  const next = () => {
    for (let [first] = waiting; first && first.size <= free; [first] = waiting) {
      waiting.shift()
      free -= first.size
      first.enter()
    }
  }
  return async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    const size = Math.min(bytes, total)
    await new Promise<void>((enter) => {
      waiting.push({ size, enter })
      next()
    })
    try {
      return await work()
    } finally {
      free += size
      next()
    }
  }
}

export async function openFiles(
  place: string,
  s3: S3Options,
  { largest = LARGEST }: { largest?: number } = {},
): Promise<FileSource> {
  return place.startsWith('s3://') ? openObjects(place, s3, largest) : openFolder(place, largest)
}

function cleanPath(path: string): string | undefined {
  const clean = normalize(path.replaceAll('\\', '/'))
  return clean === '.' || clean.startsWith('/') || clean.split('/').includes('..') ? undefined : clean
}

/** Returns whether a folder has a file at any depth. */
async function isFilled(place: string): Promise<boolean> {
  for await (const entry of await opendir(place, { recursive: true })) if (!entry.isDirectory()) return true
  return false
}

async function openFolder(place: string, largest: number): Promise<FileSource> {
  const found = await isFilled(place).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the folder ${place} cannot be read (${error.code ?? error.message})`, { cause: error })
  })
  // Without files, a run would drop the pictures that an earlier run found by their names.
  if (!found) throw new Error(`no files below ${place}: mount the disk, or omit --files`)
  const enter = createRoom(MAX_BYTES)
  const absent = (error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(error.code ?? ''))
      return undefined
    throw error
  }
  const placeOf = (path: string) => join(place, cleanPath(path) ?? '\0')
  const look = (path: string) => stat(placeOf(path)).catch(absent)
  return {
    async read(path, use) {
      const found = await look(path)
      if (!found?.isFile()) return use('missing')
      if (found.size > largest) return use('too large')
      return enter(found.size, async () => use((await readFile(placeOf(path)).catch(absent)) ?? 'missing'))
    },
    async *list(folder) {
      if (!(await look(folder))?.isDirectory()) return
      const top = placeOf(folder)
      for await (const entry of await opendir(top, { recursive: true })) {
        if (!entry.isFile()) continue
        const path = posix.join(
          folder,
          relative(top, join(entry.parentPath, entry.name)).replaceAll(sep, '/'),
        )
        const found = await look(path)
        if (found?.isFile()) yield { path, version: `${found.size} ${found.mtimeMs}` }
      }
    },
  }
}

const ATTEMPTS = 3
const SILENCE_MS = 30_000

async function openObjects(place: string, s3: S3Options, largest: number): Promise<FileSource> {
  const { bucket, key: prefix } = readBucketAddress(place)
  if (bucket === '') throw new Error(`${place} names no bucket: write s3://BUCKET or s3://BUCKET/PREFIX`)
  if (s3.accessKeyId === '' || s3.secretAccessKey === '')
    throw new Error(
      `to read ${place}, set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_ENDPOINT for any store except Amazon S3`,
    )
  const objects = openBucket({ ...s3, bucket })
  const keyOf = (path: string) => {
    const clean = cleanPath(path)
    return clean === undefined ? undefined : prefix === '' ? clean : `${prefix}/${clean}`
  }
  const isAnythingBelow = async (key: string) => {
    for await (const _ of objects.list(key)) return true
    return false
  }
  const found = await isAnythingBelow(prefix === '' ? '' : `${prefix}/`).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause : error
    throw new Error(`the bucket ${bucket} cannot be read (${cause.name}: ${cause.message})`, { cause: error })
  })
  if (!found) throw new Error(`no files below ${place}`)
  const enter = createRoom(MAX_BYTES)
  return {
    async read(path, use) {
      const key = keyOf(path)
      for (let attempt = 1; ; attempt += 1) {
        const object = key === undefined ? undefined : await present(objects.open(key))
        if (!object) return use('missing')
        const { stream, size } = object
        if (Number.isNaN(size)) {
          stream.destroy()
          throw new Error(`the object store does not report the size of ${path}`)
        }
        if (size > largest) {
          stream.destroy()
          return use('too large')
        }
        let begun = false
        try {
          return await enter(size, async () => {
            const bytes = await collect(stream, size)
            begun = true
            return use(bytes)
          })
        } catch (error) {
          stream.destroy()
          // Retries only failed downloads. An error of the callback `use` would recur.
          if (begun || attempt === ATTEMPTS) throw error
          await sleep(200 * attempt)
        }
      }
    },
    async *list(folder) {
      const inside = prefix === '' ? '' : `${prefix}/`
      for await (const { key, version } of objects.listObjects(`${inside}${folder}/`))
        yield { path: key.slice(inside.length), version }
    },
  }
}

async function collect(stream: Readable, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  const silence = setTimeout(
    () => stream.destroy(new Error('the object store stopped sending data')),
    SILENCE_MS,
  )
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (at + chunk.length > size) throw new Error('the object store sent more bytes than announced')
      at += chunk.copy(bytes, at)
      silence.refresh()
    }
  } finally {
    clearTimeout(silence)
  }
  if (at < size) throw new Error('the object store sent fewer bytes than announced')
  return bytes
}

export const NO_FILES: FileSource = {
  read: (_path, use) => use('missing'),
  async *list() {},
}
