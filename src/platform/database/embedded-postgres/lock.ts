import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from '#platform/start-fault.ts'

export const LOCK = 'server.lock'

/**
 * Milliseconds to wait for the lock, because a command may hold the lock briefly while it checks for a
 * running server.
 */
const PATIENCE_MS = 250
const SQLITE_BUSY = 5

const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === SQLITE_BUSY

/**
 * Locks a file with SQLite, because the kernel releases that lock when the process dies. If this process
 * closed any other descriptor of the file, the kernel would release the lock too.
 */
export function acquireLock(path: string): () => void {
  accessSync(dirname(path), constants.W_OK)
  const database = new DatabaseSync(path, { timeout: PATIENCE_MS })
  try {
    database.exec('begin exclusive')
    writeFileSync(`${path}.holder`, `${process.pid}\n`)
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new StartFault(
      `DATA_DIR: another server (process ${readHolder(path)}) already uses the database in ${dirname(path)}: stop it first, or set DATA_DIR to another folder.`,
    )
  }
  return () => database.close()
}

export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  using database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('select count(*) from sqlite_schema')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  }
}

function readHolder(path: string): string {
  try {
    return readFileSync(`${path}.holder`, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
