import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '#lib/faults.ts'
import {
  type ByteRange,
  openBucket,
  present,
  readBucketAddress,
  removeAbandoned,
  type S3Options,
} from '#platform/files'
import { isSealed } from './seal.ts'

export type BackupPlace = {
  /** Backup location without credentials, for messages to the operator. */
  name: string
  exists(): Promise<boolean>
  /** Writes the backup atomically and returns its size in bytes. */
  write(stream: AsyncIterable<Buffer>): Promise<number>
  read(range?: ByteRange): Promise<Readable>
  /** Undefined without such a backup. */
  size(): Promise<number | undefined>
}

const isBucket = (place: string) => place.startsWith('s3://')

export function openBackupPlace(place: string, s3: S3Options): BackupPlace {
  if (!isBucket(place))
    return {
      name: place,
      exists: async () => (await stat(place).catch(() => undefined)) !== undefined,
      write: (stream) => writeFile(place, stream),
      read: async (range) => createReadStream(place, { highWaterMark: 1024 * 1024, ...range }),
      size: () => sizeOf(place),
    }
  const { bucket, key } = readBucketAddress(place)
  if (bucket === '' || key === '') throw new Error(`${place} does not name an object: write s3://BUCKET/NAME`)
  const objects = openBucket({ ...s3, bucket })
  return {
    name: place,
    // Lists the bucket, because a 404 for the object would not tell whether the bucket exists.
    async exists() {
      for await (const found of objects.list(key, 1)) return found === key
      return false
    },
    write: (stream) => objects.upload(key, stream),
    read: async (range) => (await objects.open(key, range)).stream,
    size: async () => (await present(objects.find(key)))?.ContentLength,
  }
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (error) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    },
  )

const TAR = { at: 257, magic: 'ustar' }

/** Recognizes a backup by its first bytes. Returns undefined for another file. */
export async function peekBackup(place: BackupPlace): Promise<'plain' | 'sealed' | undefined> {
  const head = Buffer.concat(await Array.fromAsync(await place.read({ start: 0, end: 511 })))
  if (isSealed(head)) return 'sealed'
  return head.toString('latin1', TAR.at, TAR.at + TAR.magic.length) === TAR.magic ? 'plain' : undefined
}

/** Creates a file that only its owner may read, because a backup contains the app secret and all messages. */
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

/** Names of scheduled backups. */
export const BACKUP_NAME = '^kith-\\d{8}T\\d{6}Z\\.backup$'
const NAME = new RegExp(BACKUP_NAME)

export const scheduledName = (at: Date) => `kith-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`

export const backupPath = (folder: string, name: string) =>
  isBucket(folder) ? `${folder.replace(/\/+$/, '')}/${name}` : join(folder, name)

/**
 * Ignores backups with names of the future, because either their clock was ahead or this one is behind. They neither
 * displace a new backup nor are deleted.
 */
function oldest(names: string[], keep: number, latest: string): string[] {
  const earlier = names.filter((name) => NAME.test(name) && name < latest).sort()
  return earlier.slice(0, Math.max(0, earlier.length + 1 - keep))
}

/** Recognizes drafts that a killed backup left. They may contain all messages without encryption. */
const isDraft = (name: string) => name.endsWith('.part') && NAME.test(name.slice(0, -'.part'.length))

/**
 * Removes the oldest scheduled backups beyond `keep`, and no other files of the folder. Never removes `latest`, which
 * this run wrote.
 */
export async function removeOldBackups(
  folder: string,
  { keep, latest }: { keep: number; latest: string },
  s3: S3Options,
): Promise<number> {
  if (!isBucket(folder)) {
    await removeAbandoned(folder, isDraft)
    const old = oldest(await readdir(folder), keep, latest)
    for (const name of old) await rm(join(folder, name))
    return old.length
  }
  const { objects, prefix, found } = await listBucket(folder, s3)
  const names = found.map(({ name }) => name)
  const old = oldest(names, keep, latest)
  for (const name of old) await objects.remove(prefix + name)
  return old.length
}

async function listBucket(folder: string, s3: S3Options) {
  const { bucket, key } = readBucketAddress(folder)
  const prefix = key === '' ? '' : `${key}/`
  const objects = openBucket({ ...s3, bucket })
  const listed = await Array.fromAsync(objects.listObjects(`${prefix}kith-`))
  const found = listed.map(({ key, bytes }): StoredBackup => ({ name: key.slice(prefix.length), bytes }))
  return { objects, prefix, found }
}

export type StoredBackup = { name: string; bytes: number }

/** Lists the newest scheduled backups, the newest first. */
export async function listBackups(folder: string, s3: S3Options, limit: number): Promise<StoredBackup[]> {
  const isOurs = ({ name }: { name: string }) => NAME.test(name)
  const newest = <T extends { name: string }>(found: T[]) =>
    found
      .filter(isOurs)
      .sort((a, b) => (a.name < b.name ? 1 : -1))
      .slice(0, limit)
  if (isBucket(folder)) return newest((await listBucket(folder, s3)).found)
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const sized = newest(names.map((name) => ({ name }))).map(async ({ name }) => ({
    name,
    bytes: await sizeOf(join(folder, name)),
  }))
  // A scheduled backup may delete an old one meanwhile.
  return (await Promise.all(sized)).flatMap(({ name, bytes }) =>
    bytes === undefined ? [] : [{ name, bytes }],
  )
}

/** Returns the place of the newest scheduled backup, or undefined without one. */
export async function findNewestBackup(folder: string, s3: S3Options): Promise<string | undefined> {
  const [newest] = await listBackups(folder, s3, 1)
  return newest && backupPath(folder, newest.name)
}
