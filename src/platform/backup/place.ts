import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { openBucket, readBucketAddress, type S3Options } from '#platform/storage/s3.ts'

/** Where a backup goes to and comes from. */
export type BackupPlace = {
  /** How it is told to people. */
  name: string
  exists(): Promise<boolean>
  /** Writes a backup, which is there when it is whole; answers how large it is. */
  write(stream: AsyncIterable<Buffer>): Promise<number>
  read(): Promise<AsyncIterable<Buffer>>
}

/** Parts of an object: the smallest that every store takes is 5 MB, and no object has more than 10,000. */
const PART = 16 * 1024 * 1024

const isBucket = (place: string) => place.startsWith('s3://')

/** A file, or `s3://bucket/key` with the credentials of the configuration. */
export function openPlace(place: string, s3: S3Options): BackupPlace {
  if (!isBucket(place))
    return {
      name: place,
      exists: async () => (await stat(place).catch(() => undefined)) !== undefined,
      write: (stream) => writeFile(place, stream),
      read: async () => createReadStream(place, { highWaterMark: 1024 * 1024 }),
    }
  const { bucket, key } = readBucketAddress(place)
  if (bucket === '' || key === '') throw new Error(`${place} names no object: write s3://BUCKET/NAME`)
  const objects = openBucket({ ...s3, bucket })
  return {
    name: place,
    exists: async () => (await objects.list(key, 1)).includes(key),
    write: (stream) => objects.upload(key, parts(stream)),
    read: () => objects.read(key) as Promise<Readable>,
  }
}

/** Pieces of one size, and a last one that may be smaller. */
async function* parts(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    held.push(chunk)
    size += chunk.length
    if (size < PART) continue
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at >= PART; at += PART) yield all.subarray(at, at + PART)
    held = [all.subarray(at)]
    size = all.length - at
  }
  if (size > 0) yield Buffer.concat(held)
}

/** A file that only its owner reads: it holds the secret and everybody's messages. */
async function writeFile(path: string, stream: AsyncIterable<Buffer>): Promise<number> {
  const draft = `${path}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(draft, 'w', 0o600)
  try {
    await file.chmod(0o600)
    let size = 0
    for await (const chunk of stream) {
      await file.writeFile(chunk)
      size += chunk.length
    }
    await file.sync()
    await file.close()
    await rename(draft, path)
    return size
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

const NAME = /^kith-\d{8}T\d{6}Z\.backup$/

/** The name of a scheduled backup; in the order of their names they are in that of their times. */
export const scheduledName = (at: Date) => `kith-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`

/** The place of a backup in a folder or below `s3://bucket/prefix`. */
export const placeIn = (folder: string, name: string) =>
  isBucket(folder) ? `${folder.replace(/\/+$/, '')}/${name}` : join(folder, name)

/** Removes the oldest scheduled backups but `keep`; answers how many. Other files are left alone. */
export async function removeOldBackups(folder: string, keep: number, s3: S3Options): Promise<number> {
  if (!isBucket(folder)) {
    const old = (await readdir(folder))
      .filter((name) => NAME.test(name))
      .sort()
      .slice(0, -keep)
    for (const name of old) await rm(join(folder, name))
    return old.length
  }
  const { bucket, key } = readBucketAddress(folder)
  const prefix = key === '' ? '' : `${key}/`
  const objects = openBucket({ ...s3, bucket })
  const old = (await objects.list(`${prefix}kith-`))
    .filter((found) => NAME.test(found.slice(prefix.length)))
    .sort()
    .slice(0, -keep)
  for (const found of old) await objects.remove(found)
  return old.length
}
