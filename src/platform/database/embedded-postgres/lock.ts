import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '#lib/faults.ts'
import { StartFault } from '#platform/start-fault.ts'
import { findBirth, isAlive } from './processes.ts'

/** Releases the lock; does nothing when another process holds it by now. */
export type Release = () => Promise<void>

/**
 * Makes this process the only server on a folder. The file names its holder, so the lock of a killed server
 * is taken over and that of a living one is not.
 */
export async function acquireLock(path: string): Promise<Release> {
  const token = randomUUID()
  const mine = JSON.stringify({ pid: process.pid, birth: findBirth(process.pid), token })
  const draft = `${path}.${token}`
  await writeFile(draft, mine, { mode: 0o644 })
  try {
    for (let tries = 0; tries < 20; tries++) {
      if (await linkIfFree(draft, path)) {
        // A process that mistook our file for the stale one may be restoring it, so check again.
        if (tries > 0) await wait(50)
        if ((await readLock(path)) === mine) return () => release(path, mine)
      }
      const found = await readLock(path)
      if (found === null) continue
      const holder = findHolder(found)
      if (holder !== null) {
        throw new StartFault(
          `DATA_DIR: another server (process ${holder}) uses the database in ${dirname(path)} already: stop it first, or set DATA_DIR to another folder.`,
        )
      }
      await removeStale(path, found, `${draft}.stale`)
    }
    throw new Error(`The lock ${path} cannot be taken: others keep taking it.`)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns whether a living process holds the lock. */
export async function isLocked(path: string): Promise<boolean> {
  const found = await readLock(path)
  return found !== null && findHolder(found) !== null
}

async function linkIfFree(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Renames the file first, because a living server may replace it between read and delete. */
async function removeStale(path: string, stale: string, aside: string): Promise<void> {
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if ((await readLock(aside)) !== stale) await linkIfFree(aside, path)
  await unlink(aside)
}

function findHolder(content: string): number | null {
  try {
    const { pid, birth } = JSON.parse(content) as { pid: number; birth: string }
    return isAlive(pid) && findBirth(pid) === birth ? pid : null
  } catch {
    return null
  }
}

async function readLock(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readLock(path)) === mine) await rm(path, { force: true })
}
