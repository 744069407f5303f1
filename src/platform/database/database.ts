import pg from 'pg'
import { isRefusal, isStalePlan, type Settings } from './connection.ts'
import { createPool } from './pool.ts'
import { createScope, currentScope, type RequestScope, runInScope } from './request-scope.ts'
import { type Query, type Send, type Statement, type Tag, typeParsers } from './statement.ts'

export { afterCommit } from './transactions.ts'

/** Runs queries: the pool, or an open transaction. */
export type Db = Tag

/** The pool, which begins transactions. */
export type Sql = Tag & {
  /** Runs the work in one transaction; `mode` is such as `read only`. */
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  begin<T>(mode: string, work: (tx: Tx) => Promise<T>): Promise<T>
  /** Reserves a session until it is released. */
  reserve(): Promise<Tag & { release(): void }>
  /** Closes the pool. Running work has `timeout` seconds to finish. */
  end(options?: { timeout?: number }): Promise<void>
  /** Listens to a channel over its own connection. Calls `onListening` again after each reconnect. */
  listen(
    channel: string,
    hear: (payload: string) => void,
    onListening?: () => void,
  ): Promise<{ unlisten: () => Promise<void> }>
  /**
   * Returns the connections in use, the number of waiting callers, and the share (0 to 1) of the timeout that
   * the first caller without a connection has waited.
   */
  state(): { busy: number; waiting: number; pressure: number }
  /** Returns whether the database responds within this time, over a dedicated connection. */
  isAnswering(withinMs: number): Promise<boolean>
  /** Number of backends that still work for connections that were given up. */
  cutBackends(): number
  /** Returns whether a listening connection is down, and how often one was lost. */
  listening(): { isLost: boolean; losses: number }
  /** Registers a hook that runs before the pool closes. */
  beforeEnd(work: () => Promise<void>): void
  /** Sends a statement over this pool, even for a guest who reads from a replica. */
  sendAlone: Send
}

declare const open: unique symbol
export type Tx = Tag & { [open]?: true }

export type Fragment = Statement<readonly unknown[]>

export type DatabaseAddress =
  | string
  | { host: string; port: number; user: string; database: string; password?: string }

export type DatabaseOptions = {
  connection: DatabaseAddress
  poolSize: number
  statementTimeoutMs: number
  /** PostgreSQL's choice of plans for prepared statements; absent: generic ones. */
  planCacheMode?: PlanCacheMode
  /** Lock timeout of a statement; absent: its statement timeout. */
  lockTimeoutMs?: number
  /** How long a caller waits for a connection before it is rejected with `Busy`. */
  patienceMs?: number
  /** Maximum number of waiting callers; absent: no limit, for commands and tests. */
  maxWaiting?: number
  /** Whether a commit waits for the disk; true unless all of the work can be repeated. */
  isDurable?: boolean
  onNotice?: (message: string) => void
  /** Receives every statement sent. */
  onQuery?: (query: { text: string; parameters: Query['values'] }) => void
}

export const PLAN_CACHE_MODES = ['force_generic_plan', 'auto', 'force_custom_plan'] as const
export type PlanCacheMode = (typeof PLAN_CACHE_MODES)[number]

/** Parameters of each session. PgBouncer ignores them, and the role has them (docs/scaling.md). */
export const sessionSettings = ({
  statementTimeoutMs,
  lockTimeoutMs,
  isDurable = true,
  planCacheMode = 'force_generic_plan',
}: Pick<DatabaseOptions, 'statementTimeoutMs' | 'lockTimeoutMs' | 'isDurable' | 'planCacheMode'>): Record<
  string,
  string | number
> => ({
  TimeZone: 'UTC',
  plan_cache_mode: planCacheMode,
  statement_timeout: statementTimeoutMs,
  ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
  idle_in_transaction_session_timeout: statementTimeoutMs * 3,
  ...(isDurable ? {} : { synchronous_commit: 'off' }),
})

/** Time beyond the statement timeout after which a silent connection is given up. */
const DEADLINE_GRACE_MS = 1000
const PATIENCE_MS = 60_000
const CONNECT_MS = 10_000

/** Builds the driver's configuration of a connection, with the parameters of its session. */
export function clientConfig(
  address: DatabaseAddress,
  session: Record<string, string | number> = {},
): pg.ClientConfig {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`)
  return {
    ...(typeof address === 'string' ? { connectionString: address } : address),
    application_name: 'kith',
    types: typeParsers,
    ...(options.length > 0 ? { options: options.join(' ') } : {}),
  }
}

/** Opens the pool. Plans are generic unless chosen otherwise: measured, a cached generic plan costs a third of a custom one. */
export function openDatabase(options: DatabaseOptions): Sql {
  const settings: Settings = {
    config: {
      ...clientConfig(options.connection, sessionSettings(options)),
      connectionTimeoutMillis: CONNECT_MS,
    },
    onNotice: options.onNotice,
  }
  const pool = createPool(settings, {
    ...(options.onQuery ? { onQuery: options.onQuery } : {}),
    // Writes of commands and jobs have no limit.
    forReads: options.maxWaiting === undefined ? 0 : Math.ceil(options.poolSize / 4),
    size: options.poolSize,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    maxWaiting: options.maxWaiting ?? Number.POSITIVE_INFINITY,
    deadlineMs: options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + DEADLINE_GRACE_MS,
  })
  const { sql, ...more } = pool
  return Object.assign(sql, more) as unknown as Sql
}

const RETRIED = new Set(['40001', '40P01'])

/**
 * Runs `work` in one transaction and retries it after a serialization failure or deadlock, so it must have no
 * effect outside the transaction.
 */
export const transaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retried(() => sql.begin(work))

/** Like `transaction`, for recounts and inspections, which may exceed the timeout of requests. */
export const longTransaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(sql, async (tx) => {
    await tx`set local statement_timeout = 0`
    return work(tx)
  })

/** The same for a single statement, which is a transaction by itself and saves two round trips. */
export const statement = <T>(sql: Sql, work: (db: Tx) => Promise<T>): Promise<T> => retried(() => work(sql))

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 6 || !(error instanceof pg.DatabaseError)) throw error
      if (!RETRIED.has(error.code ?? '') && !isStalePlan(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt))
    }
  }
}

/** Converts the violation of a named constraint to its API error. */
export async function onConstraint<T>(
  query: Promise<T> | PromiseLike<T>,
  errors: Record<string, () => Error>,
): Promise<T> {
  try {
    return await query
  } catch (error) {
    const name = error instanceof pg.DatabaseError ? error.constraint : undefined
    const known = name === undefined ? undefined : errors[name]
    throw known ? known() : error
  }
}

/** Transient database errors: timeout, out of memory, out of disk, lock timeout. */
const PASSING = new Set(['40001', '40P01', '53000', '53100', '53200', '55P03', '57014'])

export const isRetryable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && PASSING.has(error.code ?? '')

/** True when a reference to the row prevents its deletion. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '23503'

/** True when the disk of the database or of the uploads is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '53100' || code === 'ENOSPC' || code === 'EDQUOT'
}

/** True when the database is unreachable, as opposed to an error of the statement. */
export function isConnectionError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return (
    typeof code === 'string' &&
    /^(ECONN|ENOENT|EPIPE|CONNECT|CONNECTION_|57P0|08|53300|25006|EHOST|ENET|ETIMEDOUT)/.test(code) &&
    (error as { syscall?: string }).syscall !== 'open'
  )
}

/** Maximum batch size, which keeps statements small. */
const MOST = 100

type Waiting<Item, Result> = {
  item: Item
  caller: RequestScope
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

function callerOf(waiting: readonly { caller: RequestScope }[]): RequestScope {
  const callers = [...new Set(waiting.map(({ caller }) => caller))]
  const [first, ...others] = callers as [RequestScope, ...RequestScope[]]
  if (others.length === 0) return first
  return {
    ...createScope(),
    keys: first.keys.filter((key) => others.every(({ keys }) => keys.includes(key))),
    isAdmitted: callers.some(({ isAdmitted }) => isAdmitted),
  }
}

/**
 * Batches changes of a row that many requests change at once, such as a like counter. The first runs at once.
 * Later ones wait here while the row is locked and share the next transaction, so the row is locked and
 * flushed to disk once for all of them. `work` receives at least one item, in order of arrival, and returns a
 * result for each.
 */
export function batchWrites<Item, Result>(work: (sql: Sql, items: Item[]) => Promise<Result[]>) {
  type Entry = Waiting<Item, Result>
  const queues = new WeakMap<object, Map<string, Entry[]>>()

  const run = async (sql: Sql, batch: Entry[]): Promise<void> => {
    try {
      const results = await runInScope(callerOf(batch), () =>
        work(
          sql,
          batch.map(({ item }) => item),
        ),
      )
      batch.forEach(({ resolve }, position) => {
        resolve(results[position] as Result)
      })
    } catch (error) {
      // The batch rolled back. Retries items one by one, so that only the bad one fails.
      if (batch.length > 1 && isRefusal(error)) for (const each of batch) await run(sql, [each])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (sql: Sql, key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const rows = queues.get(sql) ?? new Map<string, Entry[]>()
      queues.set(sql, rows)
      const entry: Entry = { item, caller: currentScope() ?? createScope(), resolve, reject }
      const queue = rows.get(key)
      if (queue) {
        queue.push(entry)
        return
      }
      const waiting: Entry[] = []
      rows.set(key, waiting)
      const drain = async () => {
        for (let batch = [entry]; batch.length > 0; batch = waiting.splice(0, MOST)) await run(sql, batch)
        rows.delete(key)
      }
      void drain()
    })
}
