import pg from 'pg'
import { addressesOf, chooseHost, type HostChoice, hostsOf } from '#platform/database/hosts.ts'
import type { JobsConnection } from '#platform/jobs.ts'

const CONNECT_MS = 3_000

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void
type Release = (error?: Error | boolean) => void

/**
 * A pool that takes a client back once. The runner gives the one that it listens on back a second time when it is stopped
 * while it begins to listen and the connection is lost; the failure of that would end the process.
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

/** A pool of the job runner's driver. Of several machines it uses the one that is the primary. */
export function openJobsPool(connection: JobsConnection, max: number): pg.Pool {
  const made = typeof connection === 'string' ? poolOf(connection, max) : new JobsPool({ ...connection, max })
  // Without a handler a lost idle connection ends the process; the runner opens another by itself.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

function poolOf(url: string, max: number): pg.Pool {
  const addresses = addressesOf(url)
  if (addresses.length < 2) return new JobsPool({ connectionString: addresses[0], max })
  const choice = chooseHost(hostsOf(url))
  return new JobsPool({
    max,
    connectionTimeoutMillis: CONNECT_MS,
    Client: clientOf(addresses, choice),
  })
}

/** Connects to the machine that is taken for the primary, and leaves it where it does not answer or only reads. */
const clientOf = (addresses: string[], choice: HostChoice) =>
  class extends pg.Client {
    constructor() {
      super({ connectionString: addresses[choice.at()] })
      const at = choice.at()
      const open = this.connect.bind(this) as () => Promise<unknown>
      const openPrimary = async () => {
        try {
          await open()
          const { rows } = await this.query<{ reads: boolean }>('select pg_is_in_recovery() as reads')
          if (rows[0]?.reads) throw new Error('this database only reads')
        } catch (error) {
          choice.leave(at)
          throw error
        }
      }
      // The pool hands what it does next.
      this.connect = ((done: (error?: Error) => void) =>
        void openPrimary().then(() => done(), done)) as typeof this.connect
    }
  }
