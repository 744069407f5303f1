import pg from 'pg'
import { chooseHost, type HostChoice, hostsOf, hostUrls } from '#platform/database'

/** Database settings of the job runner, which has a small pool of its own. */
export type JobsConnection = string | { host: string; port: number; user: string; database: string }

const CONNECT_MS = 5_000

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void
type Release = (error?: Error | boolean) => void

/**
 * A pool that accepts the release of a client only once. The runner releases its listening client twice when
 * the connection is lost while it stops, and the resulting error would end the process.
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

/** A pool of the job runner's driver. Of several machines it uses the primary. */
export function openJobsPool(connection: JobsConnection, max: number): pg.Pool {
  const made = poolOf(connection, max)
  // Without a handler a lost idle connection ends the process. The runner opens another by itself.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

function poolOf(connection: JobsConnection, max: number): pg.Pool {
  if (typeof connection !== 'string') return new JobsPool({ ...connection, max, Client: SingleHostClient })
  const addresses = hostUrls(connection)
  if (addresses.length < 2)
    return new JobsPool({ connectionString: addresses[0], max, Client: SingleHostClient })
  const choice = chooseHost(hostsOf(connection))
  return new JobsPool({
    max,
    connectionTimeoutMillis: CONNECT_MS,
    Client: clientOf(addresses, choice),
  })
}

/**
 * Gives up on a machine that falls silent while it is being connected to. The same option of the pool would
 * also limit the wait for a free connection.
 */
class SingleHostClient extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: CONNECT_MS })
  }
}

/** Connects to the machine taken for the primary, and moves on when it is down or read-only. */
const clientOf = (addresses: string[], choice: HostChoice) =>
  class extends pg.Client {
    constructor() {
      super({ connectionString: addresses[choice.at()] })
      const at = choice.at()
      const open = this.connect.bind(this) as () => Promise<unknown>
      // Until the pool has the client, only this listener catches a broken connection.
      this.on('error', () => {})
      const openPrimary = async () => {
        try {
          await open()
          const { rows } = await this.query<{ reads: boolean }>('select pg_is_in_recovery() as reads')
          if (rows[0]?.reads) throw new Error('this database only reads')
        } catch (error) {
          choice.leave(at)
          // The pool drops a client that failed to connect without closing it.
          void this.end().catch(() => {})
          throw error
        }
      }
      // The pool passes its next step as a callback.
      this.connect = ((done: (error?: Error) => void) =>
        void openPrimary().then(() => done(), done)) as typeof this.connect
    }
  }
