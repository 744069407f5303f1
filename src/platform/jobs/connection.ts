import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'
import type { DatabaseAddress } from '#platform/database'

export const CONNECT_MS = 5_000

type Connected = (error: undefined, client: pg.PoolClient, release: () => void) => void

/**
 * Gives all runners the same listening client, so that no runner holds a connection of the pool to listen.
 * graphile-worker requests the listening client with a callback, and every other client with a promise.
 */
class JobsPool extends pg.Pool {
  readonly listener = Object.assign(new EventEmitter().setMaxListeners(0), { query: async () => {} })

  override connect(): Promise<pg.PoolClient>
  override connect(done: Connected): void
  override connect(done?: Connected): unknown {
    return done ? done(undefined, this.listener as unknown as pg.PoolClient, () => {}) : super.connect()
  }

  /** Overrides `query`, because pg's own `query` requests a client with a callback too. */
  // biome-ignore lint/suspicious/noExplicitAny: `pg` declares overloads, which a wrapper cannot repeat.
  override async query(...query: any[]): Promise<any> {
    const client = await super.connect()
    try {
      return await client.query(...(query as [string, unknown[]]))
    } finally {
      client.release()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
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

export function openJobsPool(connection: DatabaseAddress, max: number): JobsPool {
  const address = typeof connection === 'string' ? { connectionString: connection } : connection
  const made = new JobsPool({ ...address, max, Client: JobsClient })
  // Without a handler, a broken idle connection would crash the process. graphile-worker reconnects
  // automatically.
  made.on('error', () => {})
  made.on('connect', (client) => {
    client.on('error', () => {})
    // Closes the socket after error 25006, because this read-only server is no longer the primary.
    const wire = (client as unknown as Wired).connection
    wire.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === '25006') wire.stream.destroy()
    })
  })
  return made
}
