import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import { openBucket, readBucketAddress, removeAbandoned, type S3Options } from '#platform/files'

export type BackupPlace = {
  /** Backup location without credentials, for messages to the operator. */
  name: string
  exists(): Promise<boolean>
  /** Writes the backup atomically and returns its size in bytes. */
  write(stream: AsyncIterable<Buffer>): Promise<number>
  read(): Promise<AsyncIterable<Buffer>>
}

const isBucket = (place: string) => place.startsWith('s3://')

export function openBackupPlace(place: string, s3: S3Options): BackupPlace {
  if (!isBucket(place))
    return {
      name: place,
      exists: async () => (await stat(place).catch(() => undefined)) !== undefined,
      write: (stream) => writeFile(place, stream),
      read: async () => createReadStream(place, { highWaterMark: 1024 * 1024 }),
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
    read: async () => (await objects.open(key)).stream,
  }
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

const NAME = /^kith-\d{8}T\d{6}Z\.backup$/

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
  const { objects, prefix, names } = await listBucket(folder, s3)
  const old = oldest(names, keep, latest)
  for (const name of old) await objects.remove(prefix + name)
  return old.length
}

async function listBucket(folder: string, s3: S3Options) {
  const { bucket, key } = readBucketAddress(folder)
  const prefix = key === '' ? '' : `${key}/`
  const objects = openBucket({ ...s3, bucket })
  const found = await Array.fromAsync(objects.list(`${prefix}kith-`))
  return { objects, prefix, names: found.map((name) => name.slice(prefix.length)) }
}

/** Returns the place of the newest scheduled backup, or undefined without one. */
export async function findNewestBackup(folder: string, s3: S3Options): Promise<string | undefined> {
  const names = isBucket(folder)
    ? (await listBucket(folder, s3)).names
    : await readdir(folder).catch((error) => {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      })
  const newest = names
    .filter((name) => NAME.test(name))
    .sort()
    .at(-1)
  return newest === undefined ? undefined : backupPath(folder, newest)
}
