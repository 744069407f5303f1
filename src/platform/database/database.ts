import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { codeOf } from '#lib/faults.ts'
import { isRefusal, isStalePlan } from './connection.ts'
import { createScope, currentScope, type RequestScope, runInScope } from './fair-semaphore.ts'
import { createPool, type PoolOptions } from './pool.ts'
import { type Statement, type Tag, typeParsers } from './statement.ts'

export { afterCommit, sendWithCommit } from './transactions.ts'

/** Either the pool or an open transaction. */
export type Db = Tag

export type Sql = ReturnType<typeof createPool>

/** An open transaction. */
export type Tx = Tag

export type Fragment = Statement<readonly unknown[]>

export type DatabaseAddress = string | { host: string; port: number; user: string; database: string }

export type DatabaseOptions = PoolOptions & {
  connection: DatabaseAddress
  planCacheMode?: (typeof PLAN_CACHE_MODES)[number]
  lockTimeoutMs?: number
  /** False lets commits return before the disk write, for work that can be repeated. */
  isDurable?: boolean
  onNotice?: (message: string) => void
  onOutage?: (error: unknown) => void
  onReach?: () => void
}

export const PLAN_CACHE_MODES = ['force_generic_plan', 'auto', 'force_custom_plan'] as const

/** PgBouncer forwards only `TimeZone`, so the database role must set the other parameters (docs/scaling.md). */
export const sessionSettings = ({
  statementTimeoutMs,
  lockTimeoutMs,
  isDurable = true,
  planCacheMode = 'force_generic_plan',
}: Pick<DatabaseOptions, 'statementTimeoutMs' | 'lockTimeoutMs' | 'isDurable' | 'planCacheMode'>) => ({
  TimeZone: 'UTC',
  plan_cache_mode: planCacheMode,
  statement_timeout: statementTimeoutMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs * 3,
  synchronous_commit: isDurable ? undefined : 'off',
})

const CONNECT_MS = 10_000

/** Leaves the session settings without a value at their defaults. */
export function clientConfig(
  address: DatabaseAddress,
  session: Record<string, string | number | undefined> = {},
): pg.ClientConfig {
  const given = Object.entries(session).filter(([, value]) => value !== undefined)
  return {
    ...(typeof address === 'string' ? { connectionString: address } : address),
    application_name: 'kith',
    connectionTimeoutMillis: CONNECT_MS,
    types: typeParsers,
    options: given.map(([name, value]) => `-c ${name}=${value}`).join(' '),
  }
}

/** Uses generic plans by default, because a cached generic plan costs a third of a custom plan. */
export const openDatabase = (options: DatabaseOptions): Sql =>
  createPool(
    {
      config: clientConfig(options.connection, sessionSettings(options)),
      onNotice: options.onNotice,
      onOutage: options.onOutage,
      onReach: options.onReach,
    },
    options,
  )

const RETRIED = new Set(['40001', '40P01'])

/**
 * Retries after a deadlock, a serialization failure or a stale plan, so `work` must have no effects outside
 * the database.
 */
export const transaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retried(() => sql.begin(work))

/** Disables the statement timeout, for recounts and for checks that read whole tables. */
export const longTransaction = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(sql, async (tx) => {
    await tx`set local statement_timeout = 0`
    return work(tx)
  })

/** Runs a single statement with retries. Saves two round trips, because there is no explicit transaction. */
export const statement = <T>(sql: Sql, work: (db: Tx) => Promise<T>): Promise<T> => retried(() => work(sql))

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 6 || !(error instanceof pg.DatabaseError)) throw error
      if (!RETRIED.has(error.code ?? '') && !isStalePlan(error)) throw error
      await pause(Math.random() * 10 * 2 ** attempt)
    }
  }
}

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

/** SQLSTATE codes of temporary errors, such as deadlocks, timeouts and a full disk. */
const PASSING = new Set(['40001', '40P01', '53000', '53100', '53200', '55P03', '57014'])

export const isRetryable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && PASSING.has(error.code ?? '')

export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '23503'

export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === '53100' || code === 'ENOSPC' || code === 'EDQUOT'
}

export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code !== undefined &&
    /^(ECONN|ENOENT|EPIPE|CONNECT|CONNECTION_|57P0|08|53300|25006|EHOST|ENET|ETIMEDOUT)/.test(code) &&
    (error as { syscall?: string }).syscall !== 'open'
  )
}

const BATCH_MOST = 100

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
 * Batches concurrent writes to one row, such as a like counter, so that one transaction locks the row for
 * the whole batch. `work` returns one result per item, in the order of the items.
 */
export function batchWrites<Item, Result>(work: (sql: Sql, items: Item[]) => Promise<Result[]>) {
  type Entry = {
    item: Item
    caller: RequestScope
    resolve: (result: Result) => void
    reject: (error: unknown) => void
  }
  const queues = new WeakMap<Sql, Map<string, Entry[]>>()

  const run = async (sql: Sql, batch: Entry[]): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item)
      const results = await runInScope(callerOf(batch), () => work(sql, items))
      for (const [position, { resolve }] of batch.entries()) resolve(results[position] as Result)
    } catch (error) {
      // The batch rolled back. Retries items one by one, so that only the invalid item fails.
      if (batch.length > 1 && isRefusal(error)) for (const each of batch) await run(sql, [each])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (sql: Sql, key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const rows = queues.getOrInsertComputed(sql, () => new Map())
      const entry: Entry = { item, caller: currentScope() ?? createScope(), resolve, reject }
      const queue = rows.get(key)
      if (queue) {
        queue.push(entry)
        return
      }
      const waiting: Entry[] = []
      rows.set(key, waiting)
      const drain = async () => {
        for (let batch = [entry]; batch.length > 0; batch = waiting.splice(0, BATCH_MOST))
          await run(sql, batch)
        rows.delete(key)
      }
      void drain()
    })
}
