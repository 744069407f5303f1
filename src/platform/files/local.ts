import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import { removeAbandoned } from './abandoned.ts'
import { assertKey, isKey, present, type Storage, StorageError, type StorageSource } from './storage.ts'

/** Other OS users of the machine must not read uploads, because Kith decides on access. */
const OWNER_ONLY = 0o700

/** Writes to a hidden `.tmp` folder first, so that no key holds an incomplete file. */
export function createLocalStorage(root: string): Storage {
  const temporary = join(root, '.tmp')
  // Earlier versions created the folder of uploads readable by all OS users, so the first write makes the
  // folder private.
  let isPrivate = false

  async function* list(folder: string): AsyncIterable<string> {
    assertKey(folder)
    for await (const entry of (await present(answered(opendir(join(root, folder))))) ?? []) {
      const key = `${folder}/${entry.name}`
      if (!isKey(key)) continue
      if (entry.isDirectory()) yield* list(key)
      else if (entry.isFile()) yield key
    }
  }

  return {
    vendor: 'local',
    list,
    async put(key, source) {
      assertKey(key)
      const draft = join(temporary, randomBytes(16).toString('hex'))
      const target = join(root, key)
      try {
        await mkdir(root, { recursive: true, mode: OWNER_ONLY })
        if (!isPrivate) await chmod(root, OWNER_ONLY)
        isPrivate = true
        await mkdir(temporary, { recursive: true, mode: OWNER_ONLY })
        await writeDurably(draft, source)
        await mkdir(dirname(target), { recursive: true, mode: OWNER_ONLY })
        await rename(draft, target)
        await syncFolder(dirname(target))
      } catch (error) {
        await rm(draft, { force: true })
        throw storageFault(error)
      }
    },
    async open(key, range) {
      assertKey(key)
      const handle = await answered(open(join(root, key), 'r'))
      try {
        const stat = await handle.stat()
        if (!stat.isFile()) throw new StorageError('missing', 'No such stored file')
        return { stream: handle.createReadStream(range), size: stat.size }
      } catch (error) {
        await handle.close()
        throw storageFault(error)
      }
    },
    async remove(key) {
      assertKey(key)
      await answered(rm(join(root, key), { force: true }))
    },
    async writtenAt(key) {
      assertKey(key)
      return (await present(answered(stat(join(root, key)))))?.mtime
    },
    async tidy() {
      await answered(removeAbandoned(temporary))
    },
  }
}

async function writeDurably(path: string, source: StorageSource): Promise<void> {
  if (!Buffer.isBuffer(source)) await copyFile(source.path, path, constants.COPYFILE_FICLONE)
  await using handle = await open(path, Buffer.isBuffer(source) ? 'wx' : 'r+', 0o600)
  // A copied file inherits the permissions of its source.
  await handle.chmod(0o600)
  if (Buffer.isBuffer(source)) await handle.writeFile(source)
  await handle.sync()
}

async function syncFolder(path: string): Promise<void> {
  // Windows can neither open nor flush a folder.
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}

const faults: Record<string, [StorageError['fault'], string]> = {
  ENOENT: ['missing', 'No such stored file'],
  ENOTDIR: ['missing', 'No such stored file'],
  ENOSPC: ['full', 'No space is left for uploads'],
  EDQUOT: ['full', 'No space is left for uploads'],
  EFBIG: ['full', 'The file is larger than the disk accepts'],
}

function storageFault(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const [fault, message] = faults[codeOf(error) ?? ''] ?? ['unavailable', 'The upload folder cannot be used']
  return new StorageError(fault, message, error)
}

const answered = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw storageFault(error)
  })

/**
 * Returns the folder at `path` or its nearest existing parent. Throws ENOTDIR when the path leads through a
 * file.
 */
export async function findExistingFolder(path: string): Promise<string> {
  for (let place = path; ; place = dirname(place)) {
    const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && place !== dirname(place)) return undefined
      throw error
    })
    if (found?.isDirectory()) return place
    if (found) throw Object.assign(new Error(`${place} is not a folder`), { code: 'ENOTDIR' })
  }
}
