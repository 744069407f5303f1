import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'

export type JobsConnection = string | { host: string; port: number; user: string; database: string }

const CONNECT_MS = 5_000

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void
type Release = () => void
type Listening = { client: pg.PoolClient; holders: number; forget: () => void }

/**
 * Shares one client for LISTEN between all runners, because each runner would hold a connection of its own.
 * graphile-worker requests the listening client with a callback, and every other client with a promise.
 */
class JobsPool extends pg.Pool {
  #listening: Promise<Listening> | undefined

  override connect(): Promise<pg.PoolClient>
  override connect(done: Connected): void
  override connect(done?: Connected): unknown {
    if (!done) return super.connect()
    const listening = this.#listening ?? this.#listen()
    listening.then(
      (listener) => this.#share(listener, done),
      (error) => done(error, undefined, () => {}),
    )
  }

  /** Overrides `query`, because the original requests its client with a callback too. */
  // biome-ignore lint/suspicious/noExplicitAny: `pg` declares overloads, which a wrapper cannot repeat.
  override async query(...query: any[]): Promise<any> {
    const client = await super.connect()
    try {
      return await client.query(...(query as [string, unknown[]]))
    } finally {
      client.release()
    }
  }

  #listen(): Promise<Listening> {
    const open = async (): Promise<Listening> => {
      const client = await super.connect()
      client.setMaxListeners(0)
      client.once('error', forget)
      client.once('end', forget)
      return { client, holders: 0, forget }
    }
    const listening = open()
    // Compares, because the events of a broken client may arrive after its replacement is open.
    const forget = () => {
      if (this.#listening === listening) this.#listening = undefined
    }
    this.#listening = listening
    listening.catch(forget)
    return listening
  }

  #share(listening: Listening, done: Connected): void {
    const { client, forget } = listening
    listening.holders += 1
    const shared = {
      on: (event: 'error', listener: (error: Error) => void) => client.on(event, listener),
      removeListener: (event: 'error', listener: () => void) => client.removeListener(event, listener),
      // An UNLISTEN would end the notifications of the other runners.
      query: async (text: string) => (text.startsWith('UNLISTEN') ? undefined : client.query(text)),
    }
    let isReleased = false
    done(undefined, shared as unknown as pg.PoolClient, () => {
      // graphile-worker releases the client twice when the connection breaks while the worker stops.
      if (isReleased) return
      isReleased = true
      listening.holders -= 1
      if (listening.holders > 0) return
      forget()
      client.release(true)
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
    // Closes the socket after error 25006, because this read-only server is no longer the primary.
    const wire = (client as unknown as Wired).connection
    wire.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === '25006') wire.stream.destroy()
    })
  })
  return made
}
