import { Socket } from 'node:net'
import pg from 'pg'
import { beginPreparation, preparedQuery } from './prepared-query.ts'
import { createTag, type Query, type Row, type Rows, type Send } from './statement.ts'

export type Settings = {
  config: pg.ClientConfig
  onNotice?: ((message: string) => void) | undefined
  /** Called when the database cannot be reached, and when it can be reached again. */
  onOutage?: ((error: unknown) => void) | undefined
  onReach?: (() => void) | undefined
}

export type Connection = {
  send: Send
  /** Corks the socket, so that `work` sends its statements in one write. */
  together(work: () => void): void
  onLost: (() => void) | undefined
  pending: number
  /**
   * Number of watch intervals since a statement was last sent or answered. Undefined while no statement is
   * pending.
   */
  silentFor: number | undefined
  /**
   * True while the response deadline does not apply. This is the case for a reserved connection, and for a
   * transaction that set its own statement timeout.
   */
  isPatient: boolean
  /** Age in watch intervals. Infinite when the connection must be replaced. */
  age: number
  pid(): number | null | undefined
  keys: readonly string[]
  end(): void
}

export const connectionError = (message: string, code = 'CONNECTION_CLOSED') =>
  Object.assign(new Error(message), { code })

/**
 * Returns whether PostgreSQL rejected only the statement. After any other error the connection is unusable.
 */
export const isRefusal = (error: unknown) => {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown }
  // Error 25006 means that this read-only server is no longer the primary, so the pool must reconnect.
  return severity === 'ERROR' && code !== '25006'
}

export type Client = {
  client: pg.Client
  socket: Socket
  /** True after a commit that the synchronous standby did not confirm. */
  isUnconfirmed: boolean
  destroy(): void
}

/**
 * Concatenates the corked messages, because copying them once costs less than passing each buffer to
 * `writev`.
 */
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

/**
 * Routine named in notices about the synchronous standby. PostgreSQL translates the message but not this
 * name.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN'

function withErrorCode(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  if (/timeout/.test(error.message))
    return connectionError('connecting to the database took too long', 'CONNECT_TIMEOUT')
  if (/terminated|closed|not queryable/.test(error.message))
    return connectionError('the connection to the database broke')
  return error
}

export async function connect(settings: Settings, { pipeline = false } = {}): Promise<Client> {
  const socket = openSocket()
  const client = new pg.Client({ ...settings.config, keepAlive: true, pipeline, stream: () => socket })
  const destroy = () => void socket.destroy()
  // Without a listener, an error of an idle connection would crash the process.
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
    throw withErrorCode(error)
  }
}

export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/**
 * Resolves with the last of several results. After a stale plan, sends the statement again without
 * preparing it, except in a transaction, because the error has aborted the transaction.
 */
export function sendQuery(opened: Client, query: Query, onStalePlan: () => void = () => {}): void {
  const { client } = opened
  const { text, values, name, begins, isFollowed } = query
  const onResult = (error: Error | undefined, result: pg.QueryResult | pg.QueryResult[]) => {
    if (isStalePlan(error)) {
      onStalePlan()
      if (!begins && client.getTransactionStatus() === 'I')
        return sendQuery(opened, { ...query, name: undefined })
    }
    if (error) return query.reject(withErrorCode(error))
    // PostgreSQL reports an unconfirmed commit as successful, but a failover could lose the commit.
    if (opened.isUnconfirmed) {
      opened.destroy()
      return query.reject(
        connectionError('the synchronous standby did not confirm the commit', 'CONNECTION_UNCONFIRMED'),
      )
    }
    const { rows, rowCount, command } = Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result
    const answer = rows as unknown as Rows<Row[]>
    answer.count = rowCount ?? 0
    answer.command = command
    query.resolve(answer)
  }
  if (name !== undefined || begins)
    return void client.query(preparedQuery({ text, values, name, begins, isFollowed }, onResult))
  void client.query({ text, values }, onResult)
}

export type Session = Awaited<ReturnType<typeof openSession>>

/** Opens a connection outside the pool. The caller must await each statement before sending the next. */
export async function openSession(settings: Settings) {
  const opened = await connect(settings)
  return {
    sql: createTag((query) => sendQuery(opened, query), false),
    /** Driver client for COPY, during which `sql` must not be used. */
    client: opened.client,
    end: opened.destroy,
  }
}

/** Random, so that nodes do not connect to a recovering database at the same moments. */
const backoffMs = (failures: number) =>
  Math.min(10 * 2 ** Math.min(failures, 6), 250) * (0.75 + Math.random() / 2)

const prepareBegin = ({ client, destroy }: Client) =>
  new Promise<void>((resolve, reject) => {
    const onResult = (error: Error | undefined) => {
      if (!error) return resolve()
      destroy()
      reject(withErrorCode(error))
    }
    void client.query(beginPreparation(onResult))
  })

type Outage = { failures: number; attempt: Promise<unknown> | undefined }

/** Outage that the connections of a pool share. */
const outages = new WeakMap<Settings, Outage>()

/**
 * Lets one connection of a pool at a time try to reach a database that is away. The others share its failure. With an
 * attempt of each connection, nodes would connect to a recovering database more than a hundred times a second.
 */
async function connectInTurn(settings: Settings): Promise<Client> {
  const outage = outages.getOrInsertComputed(settings, () => ({ failures: 0, attempt: undefined }))
  const attempt = async () => {
    if (outage.failures > 0) await new Promise((resolve) => setTimeout(resolve, backoffMs(outage.failures)))
    try {
      const made = await connect(settings, { pipeline: true })
      await prepareBegin(made)
      if (outage.failures > 0) settings.onReach?.()
      outage.failures = 0
      return made
    } catch (error) {
      outage.failures += 1
      if (outage.failures === 1) settings.onOutage?.(error)
      throw error
    }
  }
  // Throws the error of the shared attempt. An `await` without one would let all connections pass at once.
  if (outage.attempt) await outage.attempt
  if (outage.failures === 0) return attempt()
  const own = attempt()
  outage.attempt = own
  try {
    return await own
  } finally {
    outage.attempt = undefined
  }
}

/** Connects lazily with the first statement. Reconnects with the next statement after a failure. */
export function openConnection(settings: Settings): Connection {
  let opened: Client | undefined
  let opening: Promise<Client> | undefined
  let isEnded = false

  const openOnce = async (): Promise<Client> => {
    try {
      const made = isEnded ? undefined : await connectInTurn(settings)
      if (isEnded || !made) {
        made?.destroy()
        throw connectionError('the connection was ended', 'CONNECTION_ENDED')
      }
      made.client.once('end', () => {
        if (opened !== made) return
        opened = undefined
        connection.onLost?.()
      })
      opened = made
      return made
    } finally {
      opening = undefined
    }
  }
  const replace = () => {
    connection.age = Number.POSITIVE_INFINITY
  }
  const connection: Connection = {
    send(query) {
      if (opened) return sendQuery(opened, query, replace)
      opening ??= openOnce()
      opening.then((made) => sendQuery(made, query, replace), query.reject)
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
      // The timer below destroys the socket if PostgreSQL does not close the connection in time.
      if (connection.silentFor === undefined) void ended.client.end().catch(() => {})
      else ended.destroy()
      setTimeout(ended.destroy, CLOSE_TIMEOUT_MS).unref()
    },
  }
  return connection
}

const CLOSE_TIMEOUT_MS = 1000
