import postgres from 'postgres'
import { takeArrays } from './database/arrays.ts'
import type { Driver, Query } from './database/connection.ts'
import { addressesOf, chooseHost, hostsOf } from './database/hosts.ts'
import { createPool } from './database/pool.ts'
import { createGenerations, type Generations } from './generations.ts'

export { afterCommit } from './database/after-commit.ts'

/** Anything a query can run on: the pool, or an open transaction. */
export type Db = postgres.ISql<{ bigint: number }>

/** The pool, where transactions begin. */
export type Sql = postgres.Sql<{ bigint: number }> & {
  /**
   * How many connections are held now, how many callers wait for one, and how much of its patience the first of those who
   * have had none yet has used up, from 0 to 1.
   */
  state(): { busy: number; waiting: number; pressure: number }
  /** Whether the database answers within this time, over a connection that nothing else uses. */
  isAnswering(withinMs: number): Promise<boolean>
  /** Work that is done when the pool is told to end, before its connections are. */
  beforeEnd(work: () => Promise<void>): void
  /** Which tables were written since when. */
  generations: Generations
  /** Sends a statement over this pool, whatever the caller's request may read from. */
  sendAlone(query: Query): void
}

/** An open transaction. */
export type Tx = postgres.TransactionSql<{ bigint: number }>

/** A piece of SQL to be put into a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

export type DatabaseOptions = {
  /** A `postgres://` URL, or the address of the embedded server. */
  connection: string | { host: string; port: number; user: string; database: string; password?: string }
  poolSize: number
  statementTimeoutMs: number
  /**
   * The address is that of a pooler in transaction mode: what belongs to a session is set there, and statements are
   * prepared only with `prepares`.
   */
  isPooled?: boolean
  prepares?: boolean
  /** How long a statement may wait for what another transaction holds; absent: as long as it may run. */
  lockTimeoutMs?: number
  /** How long a caller waits for a connection before it is refused with `Busy`. */
  patienceMs?: number
  /** How many callers may wait for one; absent: any number, as commands and tests do. */
  maxWaiting?: number
  /** Whether a commit is on the disk when it is told; true unless all of it can be done again. */
  isDurable?: boolean
  onNotice?: (message: string) => void
  /** Those of another pool of this process on the same database. */
  generations?: Generations
  /** Sees every statement that is sent, with the object ids of its parameters' types (0 for those left to the server). */
  onQuery?: (query: { text: string; parameters: unknown[]; types: number[] }) => void
}

/** With several machines the next one is tried soon. */
const SEVERAL_CONNECT_SECONDS = 3

/** What each session is told at its start; behind a pooler in transaction mode the pooler has to. */
export const sessionSettings = ({
  statementTimeoutMs,
  lockTimeoutMs,
  isDurable = true,
}: Pick<DatabaseOptions, 'statementTimeoutMs' | 'lockTimeoutMs' | 'isDurable'>): Record<
  string,
  string | number
> => ({
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: statementTimeoutMs,
  ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
  idle_in_transaction_session_timeout: statementTimeoutMs * 3,
  ...(isDurable ? {} : { synchronous_commit: 'off' }),
})

/** How long a statement may take that has no timeout of its own. */
const DEADLINE_GRACE_MS = 1000
const PATIENCE_MS = 60_000
/** The driver counts failures over the life of a connection, so the pause between attempts needs a bound. */
const reconnectPause = (attempt: number) => Math.min(0.01 * 2 ** Math.min(attempt, 6), 0.5)

/**
 * Opens the pool. Times stay text in UTC (`2026-11-21 05:22:00.123456+00`), bigint becomes a number (ids and amounts
 * are below 2^53), and plans are generic: measured, a cached generic plan costs a third of a custom one.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  const addresses = typeof options.connection === 'string' ? addressesOf(options.connection) : []
  const hosts = typeof options.connection === 'string' ? hostsOf(options.connection) : []
  const connection = addresses[0] ?? options.connection
  const choice =
    hosts.length < 2
      ? undefined
      : chooseHost(hosts, ({ host, port }) => {
          // All connections read where to go from here.
          const shared = driver.options as unknown as { host: string[]; port: number[] }
          shared.host[0] = host
          shared.port[0] = port
        })
  const settings = {
    max: 1,
    // Arrays are known (takeArrays). Without its question for them the driver's own transactions hang: ours are not the driver's.
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: choice ? SEVERAL_CONNECT_SECONDS : 10,
    ...(options.isPooled && !options.prepares ? { prepare: false } : {}),
    backoff: reconnectPause,
    // Nothing is sent over a connection but by the one who holds it; the driver goes wrong where it queues.
    max_pipeline: 1_000_000,
    ...(options.onQuery ? { debug: watchQueries(options.onQuery) } : {}),
    onnotice: (notice: postgres.Notice) => options.onNotice?.(notice.message ?? ''),
    connection: {
      application_name: 'kith',
      TimeZone: 'UTC',
      ...(options.isPooled ? {} : sessionSettings(options)),
    },
    types: {
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: (value: string) => Number(value),
      },
      date: {
        to: 1184,
        from: [1082, 1083, 1114, 1184],
        serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
        parse: (value: string) => value,
      },
    },
  }
  const driver = (typeof connection === 'string'
    ? postgres(connection, settings)
    : postgres({ ...connection, ...settings })) as unknown as Driver
  takeArrays(driver)
  const generations = options.generations ?? createGenerations()
  const pool = createPool(driver, {
    generations,
    ...(choice ? { choice } : {}),
    size: options.poolSize,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    maxWaiting: options.maxWaiting ?? Number.POSITIVE_INFINITY,
    deadlineMs: options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + DEADLINE_GRACE_MS,
  })
  const { sql, state, isAnswering, beforeEnd, sendAlone } = pool
  return Object.assign(sql, { state, isAnswering, beforeEnd, generations, sendAlone }) as unknown as Sql
}

const watchQueries =
  (onQuery: NonNullable<DatabaseOptions['onQuery']>) =>
  (_connection: number, text: string, parameters: unknown[], types: unknown[]) =>
    onQuery({ text, parameters: [...parameters], types: types.map(Number) })

const RETRIED = new Set(['40001', '40P01'])

/**
 * Runs `work` in one transaction; after a serialization failure or a deadlock it is run again, so it must have no
 * effect outside the transaction.
 */
export const transaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retried(() => sql.begin(work) as Promise<T>)

/** The same for work that is a single statement, which is a transaction by itself and two round trips shorter. */
export const statement = <T>(sql: Sql, work: (db: Tx) => Promise<T>): Promise<T> =>
  retried(() => work(sql as unknown as Tx))

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 6 || !(error instanceof postgres.PostgresError) || !RETRIED.has(error.code)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt))
    }
  }
}

/** Turns the violation of a named constraint into the error a client is told. */
export async function onConstraint<T>(
  query: Promise<T> | PromiseLike<T>,
  errors: Record<string, () => Error>,
): Promise<T> {
  try {
    return await query
  } catch (error) {
    const name = error instanceof postgres.PostgresError ? error.constraint_name : undefined
    const known = name === undefined ? undefined : errors[name]
    throw known ? known() : error
  }
}

/** Refusals of the database that say nothing of the statement: out of time, of memory, of disk, or of patience with a lock. */
const PASSING = new Set(['40001', '40P01', '53000', '53100', '53200', '55P03', '57014'])

/** True when the same statement may well succeed a moment later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && PASSING.has(error.code)

/** True when there is no room left on a disk: the database's, or the one that uploads go to. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '53100' || code === 'ENOSPC' || code === 'EDQUOT'
}

/** True when the database could not be reached, as opposed to having refused a statement. */
export function isConnectionError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return (
    typeof code === 'string' &&
    /^(ECONN|ENOENT|EPIPE|CONNECT|CONNECTION_|57P0|08|53300|25006|EHOST|ENET|ETIMEDOUT)/.test(code) &&
    (error as { syscall?: string }).syscall !== 'open'
  )
}
