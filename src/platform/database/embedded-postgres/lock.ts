import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from '#platform/start-fault.ts'

/** Name of the file in the folder of the database. */
export const LOCK = 'server.lock'

/** How long a start waits for a command that tests the lock. */
const PATIENCE_MS = 250
/** SQLITE_BUSY: another connection holds the lock. */
const BUSY = 5

const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === BUSY

/**
 * Makes this process the only server on a folder, until it releases the lock or ends. The kernel holds the lock of
 * SQLite, so it is never stale. Nothing else may open the file: closing any descriptor of it would free the lock.
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
      `DATA_DIR: another server (process ${readHolder(path)}) uses the database in ${dirname(path)} already: stop it first, or set DATA_DIR to another folder.`,
    )
  }
  return () => database.close()
}

export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('select count(*) from sqlite_schema')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    database.close()
  }
}

function readHolder(path: string): string {
  try {
    return readFileSync(`${path}.holder`, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
