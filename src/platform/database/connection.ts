import { Socket } from 'node:net'
import pg from 'pg'
import { preparedQuery, type Query, type Row, type Rows, type Send } from './statement.ts'

export type Settings = {
  config: pg.ClientConfig
  onNotice?: ((message: string) => void) | undefined
}

/** A connection with one holder at a time. */
export type Connection = {
  send: Send
  /** Sends what `work` sends in one write, where the connection is open. */
  together(work: () => void): void
  onLost: (() => void) | undefined
  /** Statements that are not answered yet. */
  pending: number
  /** Sweeps of the watch since the last statement was sent or answered; undefined while none is under way. */
  silentFor: number | undefined
  /** Exempt from the deadline, because the work set a longer timeout itself. */
  isPatient: boolean
  /** Age in sweeps; infinite when it must be replaced. */
  age: number
  /** Backend process id, once it is open. */
  pid(): number | null | undefined
  /** Keys that its holder counts under. */
  keys: readonly string[]
  end(): void
}

export const connectionError = (message: string, code = 'CONNECTION_CLOSED') =>
  Object.assign(new Error(message), { code })

/**
 * Returns whether the server rejected the statement and accepts the next one. After any other error the
 * connection is closed.
 */
export const isRefusal = (error: unknown) => {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown }
  // A read-only server is no longer the primary. The next connection through the proxy reaches the new one.
  return severity === 'ERROR' && code !== '25006'
}

/** A connected client of the driver, with the socket that `destroy` closes without waiting for the server. */
export type Client = {
  client: pg.Client
  socket: Socket
  /** Whether a commit ended before the synchronous standby had it, because an administrator cancelled the wait. */
  isUnconfirmed: boolean
  destroy(): void
}

/** Creates a socket that writes corked messages as one buffer, because gathering costs more than copying. */
function openSocket(): Socket {
  const socket = new Socket()
  socket._writev = (chunks, done) => {
    const buffers = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : (chunk as Buffer),
    )
    socket._write(Buffer.concat(buffers), 'buffer' as BufferEncoding, done)
  }
  return socket
}

/** Routine of PostgreSQL that waits for the synchronous standby. Messages are translated, this name is not. */
const STANDBY_WAIT = 'SyncRepWaitForLSN'

/** Adds the missing code to connection errors of the driver. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  if (/timeout/.test(error.message))
    return connectionError('connecting to the database took too long', 'CONNECT_TIMEOUT')
  if (/terminated|closed|not queryable/.test(error.message))
    return connectionError('the connection to the database broke')
  return error
}

/** Opens one connection. Its client emits `end` once when the connection is gone. */
export async function connect(settings: Settings, { pipeline = false } = {}): Promise<Client> {
  const socket = openSocket()
  const client = new pg.Client({ ...settings.config, keepAlive: true, pipeline, stream: () => socket })
  const destroy = () => void socket.destroy()
  // An idle connection that breaks emits an error, which would end the process without a listener.
  client.on('error', destroy)
  const opened: Client = {
    client,
    socket,
    isUnconfirmed: false,
    destroy,
  }
  client.on('notice', ({ message = '', routine }) => {
    if (routine === STANDBY_WAIT) opened.isUnconfirmed = true
    settings.onNotice?.(message)
  })
  try {
    await client.connect()
    return opened
  } catch (error) {
    destroy()
    throw explained(error)
  }
}

/**
 * Returns whether a migration changed the result of a prepared statement, so that the session must prepare it
 * again.
 */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/**
 * Sends a query. Of several results the last one counts. Retries a stale plan unprepared; inside a
 * transaction it throws, because the transaction is lost.
 */
export function sendQuery(opened: Client, query: Query, onStalePlan: () => void = () => {}): void {
  const { client } = opened
  const { text, values, name } = query
  const onResult = (error: Error | undefined, result: pg.QueryResult | pg.QueryResult[]) => {
    if (isStalePlan(error)) {
      onStalePlan()
      if (client.getTransactionStatus() === 'I') return sendQuery(opened, { ...query, name: undefined })
    }
    if (error) return query.reject(explained(error))
    // PostgreSQL reports success here, but a failover would lose the commit.
    if (opened.isUnconfirmed) {
      opened.destroy()
      return query.reject(connectionError('the synchronous standby did not confirm the commit'))
    }
    const { rows, rowCount, command } = Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result
    const answer = rows as unknown as Rows<Row[]>
    answer.count = rowCount ?? 0
    answer.command = command
    query.resolve(answer)
  }
  if (name !== undefined) return void client.query(preparedQuery({ text, values, name }, onResult))
  void client.query({ text, values }, onResult)
}

/** Pause before a retry of a failed attempt, in milliseconds. */
const pauseAfter = (failures: number) => Math.min(10 * 2 ** Math.min(failures, 6), 500)

/** A connection that opens with its first statement, and reopens with the first one after it broke. */
export function openConnection(settings: Settings): Connection {
  let opened: Client | undefined
  let opening: Promise<Client> | undefined
  let failures = 0
  let isEnded = false

  const openOnce = async (): Promise<Client> => {
    if (failures > 0) await new Promise((resolve) => setTimeout(resolve, pauseAfter(failures)))
    if (isEnded) throw connectionError('the connection was ended', 'CONNECTION_ENDED')
    const made = await connect(settings, { pipeline: true })
    made.client.once('end', () => {
      if (opened !== made) return
      opened = undefined
      connection.onLost?.()
    })
    if (isEnded) {
      made.destroy()
      throw connectionError('the connection was ended', 'CONNECTION_ENDED')
    }
    return made
  }
  const open = (): Promise<Client> => {
    opening ??= openOnce()
      .then(
        (made) => {
          failures = 0
          opened = made
          return made
        },
        (error) => {
          failures += 1
          throw error
        },
      )
      .finally(() => {
        opening = undefined
      })
    return opening
  }
  const replace = () => {
    connection.age = Number.POSITIVE_INFINITY
  }
  const connection: Connection = {
    send(query) {
      if (opened) sendQuery(opened, query, replace)
      else open().then((made) => sendQuery(made, query, replace), query.reject)
    },
    together(work) {
      const socket = opened?.socket
      socket?.cork()
      work()
      socket?.uncork()
    },
    pending: 0,
    pid: () => (opened?.client as { processID?: number | null } | undefined)?.processID,
    onLost: undefined,
    silentFor: undefined,
    isPatient: false,
    age: 0,
    keys: [],
    end() {
      isEnded = true
      const ended = opened
      opened = undefined
      if (!ended) return
      // Sends the termination message and closes the socket, whether the server responds or not.
      if (connection.silentFor === undefined) void ended.client.end().catch(() => {})
      else ended.destroy()
      setTimeout(ended.destroy, GOODBYE_MS).unref()
    },
  }
  return connection
}

/** How long a closing connection may take. */
const GOODBYE_MS = 1000
