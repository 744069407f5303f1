import type { Socket } from 'node:net'
import type pg from 'pg'
import { openDatabase } from '#platform/database'
import type { JobsConnection } from './connection.ts'

const BEAT_MS = 2_000
/**
 * Missed heartbeats before the database is asked about the statement. A count, so that a paused process loses
 * nothing.
 */
const MOST_MISSED = 2
const LOOK_TIMEOUT_MS = 2_000

/** Fields missing from the driver's type. */
type Client = pg.PoolClient & {
  readyForQuery: boolean
  _ending: boolean
  processID: number | null
  connection: { stream: Socket }
}

/**
 * Destroys unresponsive connections of the job runner, so that it opens others. The runner listens over one
 * for its whole life, and its statements have no timeout. A statement that the database still runs is left
 * alone, because its backend would continue beside that of the retry.
 */
export function destroySilent(pool: pg.Pool, connection: JobsConnection): void {
  const held = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => held.add(client))
  pool.on('release', (_error, client) => held.delete(client))
  pool.on('connect', (made) => {
    const client = made as Client
    let unanswered = 0
    let quiet = 0
    let isLooking = false
    /** Consecutive checks that found no running statement. */
    let idle = 0
    const beat = async () => {
      // The pool sends Terminate and waits for the server to close the socket, which a silent one never does.
      if (client._ending) return void client.connection.stream.destroy()
      if (client.readyForQuery) {
        unanswered = 0
        idle = 0
        quiet += 1
        // Only the listener is checked out for so long without a statement.
        if (quiet > MOST_MISSED && held.has(client)) client.query('select 1').catch(() => {})
        return
      }
      quiet = 0
      unanswered += 1
      if (unanswered <= MOST_MISSED || isLooking) return
      isLooking = true
      const isActive = await isWorking(connection, client.processID).catch(() => true)
      isLooking = false
      // A statement may end during the check, while its answer is still in transit.
      idle = isActive || client.readyForQuery ? 0 : idle + 1
      if (idle > 1) client.connection.stream.destroy(new Error('the database does not answer'))
    }
    const timer = setInterval(() => void beat(), BEAT_MS).unref()
    client.once('end', () => clearInterval(timer))
  })
}

/** Returns whether a backend runs a statement, over a new connection since all others may be silent. */
async function isWorking(connection: JobsConnection, pid: number | null): Promise<boolean> {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: LOOK_TIMEOUT_MS })
  try {
    const [backend] = await sql<{ state: string | null }[]>`
      select state from pg_stat_activity where pid = ${pid}`
    return backend?.state === 'active'
  } finally {
    await sql.end({ timeout: 0 })
  }
}
