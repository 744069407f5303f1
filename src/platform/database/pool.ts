import pTimeout from 'p-timeout'
import { Busy } from '#platform/errors.ts'
import { type Connection, isRefusal, openConnection, type Settings } from './connection.ts'
import {
  createFairSemaphore,
  createScope,
  currentScope,
  type RequestScope,
  runInScope,
  WRITES_KEY,
} from './fair-semaphore.ts'
import { type Listener, listenOn } from './listener.ts'
import { createTag, type Query, type Send, type Tag } from './statement.ts'
import { createTransactions } from './transactions.ts'
import { createWriteWatch, type WriteWatch } from './write-watch.ts'

/**
 * Checks over a dedicated connection whether the database responds, because the pool's connections may be
 * busy.
 */
function openProbe(settings: Settings) {
  let probe = openConnection(settings)
  let asking: Promise<boolean> | undefined
  const sql = createTag((query) => probe.send(query), false)
  const replace = () => {
    probe.end()
    probe = openConnection(settings)
    return false
  }
  const ask = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  const isAnswering = (withinMs: number): Promise<boolean> => {
    asking ??= pTimeout(ask(), { milliseconds: withinMs, fallback: replace }).finally(() => {
      asking = undefined
    })
    return asking
  }

  return { isAnswering, end: () => probe.end() }
}

/**
 * Tracks backends whose connection the pool abandoned, for example during a commit that waits for a
 * synchronous standby. Rejects writes when there are `most` such backends, because retries would use up the
 * connections of PostgreSQL.
 */
function createCutBackends(most: number) {
  const pids = new Set<number>()
  let isLooking = false

  return {
    count: () => pids.size,
    add(pid: number | null | undefined): void {
      if (typeof pid === 'number') pids.add(pid)
    },
    refusal: (caller: RequestScope | undefined): Busy | undefined =>
      pids.size >= most && caller?.keys.includes(WRITES_KEY)
        ? new Busy('too many abandoned statements are still running')
        : undefined,
    removeEnded(sql: Tag): void {
      if (pids.size === 0 || isLooking) return
      isLooking = true
      const asked = [...pids]
      const find = async () => {
        const rows = await sql<{ pid: number }[]>`
          select pid from pg_stat_activity where pid = any(${asked}) and state = 'active'`
        const active = new Set(rows.map(({ pid }) => pid))
        for (const pid of asked) if (!active.has(pid)) pids.delete(pid)
      }
      runInScope({ ...createScope(), isAdmitted: true }, find)
        .catch(() => {})
        .finally(() => {
          isLooking = false
        })
    },
  }
}

export type PoolOptions = {
  poolSize: number
  statementTimeoutMs: number
  patienceMs?: number
  maxWaiting?: number
  onQuery?: (query: { text: string; parameters: Query['values'] }) => void
  /** Shared by the pools of a process. */
  writes?: WriteWatch
}

/** Fraction of the pool that one key, such as an account, may hold. */
const SHARE = 0.5
/** Fraction of a server's pool that writes leave to reads. Commands and jobs reserve no connections. */
const SHARE_OF_READS = 0.25
const PATIENCE_MS = 60_000
const WATCH_MS = 500
/** Added to the statement timeout before the pool abandons an unresponsive connection. */
const DEADLINE_GRACE_MS = 1000
/** Lifetime of a connection in watch intervals (30 minutes). This limit bounds the memory of cached plans. */
const MAX_AGE = 3600
const NO_KEYS: readonly string[] = []
const BATCH_MOST = 16

/** Discards a released connection that is not clean, for example because a transaction is still open. */
export function createPool(
  settings: Settings,
  {
    poolSize: size,
    patienceMs = PATIENCE_MS,
    maxWaiting,
    statementTimeoutMs,
    onQuery,
    writes = createWriteWatch(),
  }: PoolOptions,
) {
  const forReads = maxWaiting === undefined ? 0 : Math.ceil(size * SHARE_OF_READS)
  const connections = new Set(Array.from({ length: size }, () => openConnection(settings)))
  const turns = createFairSemaphore<Connection>({
    places: [...connections],
    patienceMs,
    maxWaiting: maxWaiting ?? Number.POSITIVE_INFINITY,
    share: SHARE,
    limits: new Map([[WRITES_KEY, Math.max(1, size - forReads)]]),
  })
  const cutBackends = createCutBackends(size)
  writes.addAbandoned(cutBackends.count)

  const give = (held: Connection, mayStay = true) => {
    const keys = held.keys
    held.keys = NO_KEYS
    held.silentFor = undefined
    held.onLost = undefined
    held.isPatient = false
    if (mayStay && held.age < MAX_AGE && connections.has(held)) return turns.give(held, keys)
    connections.delete(held)
    held.end()
    const another = openConnection(settings)
    connections.add(another)
    turns.give(another, keys)
  }
  const cut = (held: Connection) => {
    connections.delete(held)
    cutBackends.add(held.pid())
    held.onLost?.()
    held.end()
  }

  const sendOver = (held: Connection, query: Query, onEnd: (isWell: boolean) => void) => {
    const { resolve, reject } = query
    const answered = () => {
      held.pending -= 1
      held.silentFor = held.pending > 0 ? 0 : undefined
    }
    query.resolve = (result) => {
      answered()
      resolve(result)
      onEnd(result.command !== 'BEGIN' && result.command !== 'START TRANSACTION')
    }
    query.reject = (error) => {
      writes.note(error)
      answered()
      reject(error)
      onEnd(isRefusal(error))
    }
    held.pending += 1
    held.silentFor = 0
    onQuery?.({ text: query.text, parameters: query.values })
    held.send(query)
  }

  const batches = new WeakMap<RequestScope, Query[]>()

  const sendBatch = (held: Connection, caller: RequestScope | undefined, batch: Query[]) => {
    held.keys = caller?.keys ?? NO_KEYS
    let left = batch.length
    let isWell = true
    const onEnd = (isUsable: boolean) => {
      isWell &&= isUsable
      left -= 1
      if (left === 0) give(held, isWell)
    }
    held.together(() => {
      for (const query of batch) sendOver(held, query, onEnd)
    })
  }
  const lend = (
    caller: RequestScope | undefined,
    run: (held: Connection) => void,
    refuse: (error: unknown) => void,
  ) => {
    const refusal = cutBackends.refusal(caller)
    if (refusal) return refuse(refusal)
    const held = turns.take(caller)
    if (held) run(held)
    else turns.wait(caller, run, refuse)
  }
  const start = (caller: RequestScope | undefined, batch: Query[]) => {
    const close = () => {
      const group = caller?.page ?? caller
      if (group && batches.get(group) === batch) batches.delete(group)
    }
    const run = (held: Connection) => {
      close()
      sendBatch(held, caller, batch)
    }
    const refuse = (error: unknown) => {
      close()
      for (const query of batch) query.reject(error)
    }
    lend(caller, run, refuse)
  }

  /**
   * Batches the statements that a caller sends in one event loop turn, because a socket write per statement
   * costs more than the statement itself.
   */
  const sendHere: Send = (query) => {
    const caller = currentScope()
    if (!caller) return start(undefined, [query])
    const group = caller.page ?? caller
    const open = batches.get(group)
    if (open && open.length < BATCH_MOST) return void open.push(query)
    const batch = [query]
    batches.set(group, batch)
    // The requests of a page reach their statements in different ticks of one turn.
    if (caller.page) setImmediate(start, caller, batch)
    else process.nextTick(start, caller, batch)
  }

  const send: Send = (query) => (currentScope()?.replica ?? sendHere)(query)
  const tag = createTag(send, true)

  const acquire = (): Promise<Connection> => {
    const caller = currentScope()
    return new Promise((resolve, reject) => {
      const run = (held: Connection) => {
        held.keys = caller?.keys ?? NO_KEYS
        resolve(held)
      }
      lend(caller, run, reject)
    })
  }

  const { begin, reserve } = createTransactions({ tag, acquire, give, sendOver })
  // A copy of the settings, so that the probe does not wait for the attempts of the pool.
  const probe = openProbe({ config: settings.config })

  const limit = Math.ceil((statementTimeoutMs + DEADLINE_GRACE_MS) / WATCH_MS)
  // Counts intervals instead of time, so that a pause of this process does not look like an unresponsive
  // database.
  const watch = setInterval(() => {
    cutBackends.removeEnded(tag)
    for (const each of connections) {
      each.age += 1
      if (each.silentFor === undefined || each.isPatient || statementTimeoutMs === 0) continue
      each.silentFor += 1
      if (each.silentFor > limit) cut(each)
    }
  }, WATCH_MS).unref()

  const last: (() => Promise<void>)[] = []
  /** Waits up to `timeout` seconds for running statements and transactions. */
  const end = async ({ timeout = Number.POSITIVE_INFINITY }: { timeout?: number } = {}) => {
    const isIdle = Promise.all(last.map((work) => work())).then(() => turns.close())
    // `pTimeout` rejects a timeout of zero.
    await pTimeout(isIdle, {
      milliseconds: Math.max(1, timeout * 1000),
      // Rejects callers that still wait, because their timer would keep the process alive.
      fallback: () => void turns.close(),
    })
    clearInterval(watch)
    for (const each of [...connections, probe]) each.end()
  }

  return Object.assign(tag, {
    begin,
    reserve,
    end,
    listen: (channel: string, listener: Listener) => listenOn(settings, [channel], listener),
    isAnswering: probe.isAnswering,
    cutBackends: cutBackends.count,
    writeFault: writes.fault,
    /** Sends a statement to this pool, even for a guest whose reads go to a replica. */
    sendHere,
    beforeEnd: (work: () => Promise<void>) => void last.push(work),
    state: turns.state,
  })
}
