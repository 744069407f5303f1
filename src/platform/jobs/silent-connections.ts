import type { Socket } from 'node:net'
import type pg from 'pg'
import { type DatabaseAddress, openDatabase } from '#platform/database'

const BEAT_MS = 2_000
/**
 * Missed heartbeats before a check whether the connection's statement still runs. A timeout would also
 * expire while this process is paused.
 */
const MOST_MISSED = 2
const LOOK_TIMEOUT_MS = 2_000

type Client = pg.PoolClient & {
  readyForQuery: boolean
  _ending: boolean
  processID: number | null
  connection: { stream: Socket }
}

/**
 * Destroys unresponsive connections of the job runner, because its statements have no timeout. Leaves a
 * connection whose statement still runs, because a retry would run at the same time.
 */
export function destroySilent(pool: pg.Pool, connection: DatabaseAddress): void {
  pool.on('connect', (made) => {
    const client = made as Client
    let unanswered = 0
    let isLooking = false
    let idle = 0
    const beat = async () => {
      // `pool.end()` waits for PostgreSQL to close the socket, but an unresponsive server never closes it.
      if (client._ending) return void client.connection.stream.destroy()
      if (client.readyForQuery) {
        unanswered = 0
        idle = 0
        return
      }
      unanswered += 1
      if (unanswered <= MOST_MISSED || isLooking) return
      isLooking = true
      const isActive = await isWorking(connection, client.processID).catch(() => true)
      isLooking = false
      // One check is not enough. The statement may end during the check, while its result is still in
      // transit.
      idle = isActive || client.readyForQuery ? 0 : idle + 1
      if (idle > 1) client.connection.stream.destroy(new Error('the database does not answer'))
    }
    const timer = setInterval(() => void beat(), BEAT_MS).unref()
    client.once('end', () => clearInterval(timer))
  })
}

/** Checks over a new connection, because all connections of the pool may be unresponsive. */
async function isWorking(connection: DatabaseAddress, pid: number | null): Promise<boolean> {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: LOOK_TIMEOUT_MS })
  try {
    const [backend] = await sql<{ state: string | null }[]>`
      select state from pg_stat_activity where pid = ${pid}`
    return backend?.state === 'active'
  } finally {
    await sql.end({ timeout: 0 })
  }
}
