import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { EmbeddedConnection } from '../embedded-postgres.ts'
import { readPidFile } from './leftovers.ts'
import { isLocked, LOCK } from './lock.ts'

const patience = 60_000

/** Waits for the database of a running server to accept connections. Returns null when no server runs. */
export async function findRunningPostgres(dataDir: string): Promise<EmbeddedConnection | null> {
  const folder = await realpath(dataDir).catch(() => null)
  if (folder === null) return null
  const deadline = Date.now() + patience
  while (isLocked(join(folder, LOCK))) {
    const file = await readPidFile(join(folder, 'cluster'))
    if (file?.status === 'ready')
      return { host: file.socketFolder, port: file.port, user: 'kith', database: 'kith' }
    if (Date.now() > deadline)
      throw new Error(`The server that uses ${folder} did not start its database in time.`)
    await wait(50)
  }
  return null
}
