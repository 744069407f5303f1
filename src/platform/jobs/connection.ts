import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'

export type JobsConnection = string | { host: string; port: number; user: string; database: string }

const CONNECT_MS = 5_000

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void
type Release = (error?: Error | boolean) => void

/**
 * Ignores a second release of a client. graphile-worker releases its listening client twice when the
 * connection breaks during a stop, and the resulting error would crash the process.
 */
class JobsPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(done: Connected): void
  override connect(done?: Connected): unknown {
    if (!done) return super.connect()
    return super.connect((error, client, release) => {
      let isBack = false
      done(error, client, (failure) => {
        if (isBack) return
        isBack = true
        release(failure)
      })
    })
  }
}

/**
 * Sets the connection timeout on the client, because the same option of the pool would also limit the wait
 * for a free connection.
 */
class JobsClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: CONNECT_MS })
  }
}

type Wired = { connection: EventEmitter & { stream: Socket } }

export function openJobsPool(connection: JobsConnection, max: number): pg.Pool {
  const address = typeof connection === 'string' ? { connectionString: connection } : connection
  const made = new JobsPool({ ...address, max, Client: JobsClient })
  // Without a handler, a broken idle connection would crash the process. graphile-worker reconnects
  // automatically.
  made.on('error', () => {})
  made.on('connect', (client) => {
    client.on('error', () => {})
    // Error 25006 means that this read-only server is no longer the primary, so the pool must reconnect.
    const wire = (client as unknown as Wired).connection
    wire.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === '25006') wire.stream.destroy()
    })
  })
  return made
}
