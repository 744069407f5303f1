import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, copyFile, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ByteRange, Storage, StorageSource } from './storage.ts'
import { assertKey, isKey, StorageError } from './storage.ts'

/** Other OS users of the machine must not read uploads, because Kith decides on access. */
const OWNER_ONLY = 0o700
const DAY_MS = 86_400_000

/** Writes to a hidden `.tmp` folder first, so that no key holds an incomplete file. */
export function createLocalStorage(root: string): Storage {
  const temporary = join(root, '.tmp')
  // Earlier versions created the folder of uploads readable by all OS users.
  let isPrivate = false

  async function put(key: string, source: StorageSource): Promise<void> {
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
  }

  async function openFile(key: string, range?: ByteRange) {
    assertKey(key)
    const handle = await open(join(root, key), 'r').catch((error: unknown) => {
      throw storageFault(error)
    })
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new StorageError('missing', 'No such stored file')
      return { stream: handle.createReadStream(range), size: stat.size }
    } catch (error) {
      await handle.close()
      throw storageFault(error)
    }
  }

  async function remove(key: string): Promise<void> {
    assertKey(key)
    await rm(join(root, key), { force: true }).catch((error: unknown) => {
      throw storageFault(error)
    })
  }

  async function exists(key: string): Promise<boolean> {
    assertKey(key)
    return access(join(root, key), constants.R_OK).then(
      () => true,
      (error: unknown) => {
        const fault = storageFault(error)
        if (fault.fault === 'missing') return false
        throw fault
      },
    )
  }

  async function tidy(): Promise<void> {
    const names = await readdir(temporary).catch((error: unknown) => {
      const fault = storageFault(error)
      if (fault.fault === 'missing') return []
      throw fault
    })
    for (const name of names) {
      const path = join(temporary, name)
      const info = await stat(path).catch(() => undefined)
      if (info && Date.now() - info.mtimeMs > DAY_MS) await rm(path, { force: true })
    }
  }

  async function* list(folder: string): AsyncIterable<string> {
    assertKey(folder)
    const entries = await opendir(join(root, folder)).catch((error: unknown) => {
      const fault = storageFault(error)
      if (fault.fault === 'missing') return []
      throw fault
    })
    for await (const entry of entries) {
      const key = `${folder}/${entry.name}`
      if (!isKey(key)) continue
      if (entry.isDirectory()) yield* list(key)
      else if (entry.isFile()) yield key
    }
  }

  async function writtenAt(key: string): Promise<Date | undefined> {
    assertKey(key)
    try {
      return (await stat(join(root, key))).mtime
    } catch (error) {
      const fault = storageFault(error)
      if (fault.fault === 'missing') return undefined
      throw fault
    }
  }

  return { vendor: 'local', put, open: openFile, remove, exists, list, writtenAt, tidy }
}

async function writeDurably(path: string, source: StorageSource): Promise<void> {
  if (!Buffer.isBuffer(source)) await copyFile(source.path, path, constants.COPYFILE_FICLONE)
  const handle = await open(path, Buffer.isBuffer(source) ? 'wx' : 'r+', 0o600)
  try {
    // A copied file inherits the permissions of its source.
    await handle.chmod(0o600)
    if (Buffer.isBuffer(source)) await handle.writeFile(source)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows can neither open nor flush a folder.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
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
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [fault, message] = faults[code] ?? ['unavailable', 'The upload folder cannot be used']
  return new StorageError(fault, message, error)
}
