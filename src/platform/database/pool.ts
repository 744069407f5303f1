import { UNKNOWN, type Use } from '#platform/generations/statement-tables.ts'
import type { Generations } from '#platform/generations.ts'
import { type Caller, currentCaller } from './callers.ts'
import {
  type Connection,
  type Driver,
  isRefusal,
  openConnection,
  type Query,
  type Send,
} from './connection.ts'
import { type HostChoice, isUnfitHost } from './hosts.ts'
import { listenOn } from './listener.ts'
import { openProbe } from './probe.ts'
import { templateOf } from './template.ts'
import { createTransactions } from './transactions.ts'
import { createTurns } from './turns.ts'

export type PoolOptions = {
  size: number
  /** How long a caller waits for a connection before it is refused. */
  patienceMs: number
  /** How many may wait at once. */
  maxWaiting: number
  /** A statement that is not answered for this long is given up, and its connection with it; 0: never. */
  deadlineMs: number
  /** Told of every statement which tables it reads and writes. */
  generations: Generations
  /** Where the address names several machines. */
  choice?: HostChoice
}

/** No account and no route that writes holds more of the pool than this. */
const SHARE = 0.5
const WATCH_MS = 500
/** A connection keeps the plans of all it has prepared: after half an hour another takes its place. */
const MAX_AGE = 3600
const NO_KEYS: readonly string[] = []

/**
 * Connections that are each held by one statement, transaction or session at a time. The driver's own pool sends
 * statements of several callers over one connection and may hand one on with a transaction still open on it; here a
 * connection that did not end its work properly is never used again.
 */
export function createPool(
  driver: Driver,
  { size, patienceMs, maxWaiting, deadlineMs, generations, choice }: PoolOptions,
) {
  const connections = new Set(Array.from({ length: size }, () => openConnection(driver, choice)))
  const turns = createTurns<Connection>({
    places: [...connections],
    patienceMs,
    maxWaiting,
    share: SHARE,
  })

  const give = (held: Connection, mayStay = true) => {
    const keys = held.keys
    held.keys = NO_KEYS
    held.silentFor = undefined
    held.onLost = undefined
    held.isPatient = false
    if (mayStay && held.age < MAX_AGE && connections.has(held)) return turns.give(held, keys)
    connections.delete(held)
    held.end()
    const another = openConnection(driver, choice)
    connections.add(another)
    turns.give(another, keys)
  }
  /** Ends a connection that is held: what waits for it fails, and another takes its place when it is given back. */
  const cut = (held: Connection) => {
    connections.delete(held)
    held.onLost?.()
    held.end()
  }

  /** What a statement did, which is known once it was sent; one that cannot be told may have done anything. */
  const useOf = (query: Query): Use => (query.statement ? generations.use(query.statement.string) : UNKNOWN)

  /**
   * Sends one statement; `onDone` hears what it did before whoever asked has the answer, and after that `onEnd` is told
   * whether the connection can be used again.
   */
  const sendOver = (
    held: Connection,
    query: Query,
    onDone: (use: Use, failure?: unknown) => void,
    onEnd: (isWell: boolean) => void,
  ) => {
    const { resolve, reject } = query
    query.resolve = (result) => {
      held.silentFor = undefined
      onDone(useOf(query))
      resolve(result)
      onEnd(result.command !== 'BEGIN' && result.command !== 'START TRANSACTION')
    }
    query.reject = (error) => {
      held.silentFor = undefined
      onDone(useOf(query), error ?? new Error('the statement failed'))
      if (choice && isUnfitHost(error)) held.leaveHost()
      reject(error)
      onEnd(isRefusal(error))
    }
    held.silentFor = 0
    held.send(query)
  }

  /** What is made of an answer that never came is not kept. */
  const note = ({ reading }: Caller, use: Use, failure: unknown) =>
    failure === undefined ? reading?.read(use) : reading?.readUnknown()

  /** Says that something was written, and on whose behalf. */
  const wrote = (uses: Iterable<Use>, caller: Caller | undefined) => {
    const callers = caller?.all ?? (caller ? [caller] : [])
    for (const each of callers)
      if (!each.hasWritten)
        for (const use of uses)
          if (use.writesAll || use.writes.size + use.counts.size > 0) each.hasWritten = true
    generations.wrote(
      uses,
      callers.flatMap(({ userId }) => userId ?? []),
    )
  }

  const sendHere: Send = (query) => {
    const caller = currentCaller()
    const run = (held: Connection) => {
      held.keys = caller?.keys ?? NO_KEYS
      const onDone = (use: Use, failure?: unknown) => {
        if (caller?.reading) note(caller, use, failure)
        // One that failed with its connection may have been done.
        if (failure === undefined || !isRefusal(failure)) wrote([use], caller)
      }
      sendOver(held, query, onDone, (isWell) => {
        // The driver is in the middle of an answer, and takes the next statement once it is through with it.
        queueMicrotask(() => give(held, isWell))
      })
    }
    const held = turns.take(caller)
    if (held) run(held)
    else turns.wait(caller, run, query.reject)
  }

  const sendAlone: Send = (query) => {
    const caller = currentCaller()
    if (caller?.replica) caller.replica(query)
    else sendHere(query)
  }
  const template = templateOf(driver, sendAlone)

  const acquire = (): Promise<Connection> => {
    const caller = currentCaller()
    const withKeys = (held: Connection) => {
      held.keys = caller?.keys ?? NO_KEYS
      return held
    }
    const held = turns.take(caller)
    if (held) return Promise.resolve(withKeys(held))
    return new Promise((resolve, reject) => turns.wait(caller, (later) => resolve(withKeys(later)), reject))
  }

  const { begin, reserve } = createTransactions({ driver, template, acquire, give, sendOver, wrote })
  const probe = openProbe(driver, choice)

  const limit = Math.ceil(deadlineMs / WATCH_MS)
  // Counted in sweeps: a process that was itself held up does not take its own pause for the database's silence.
  const watch = setInterval(() => {
    for (const each of connections) {
      each.age += 1
      if (each.silentFor === undefined || each.isPatient || limit === 0) continue
      each.silentFor += 1
      if (each.silentFor > limit) cut(each)
    }
  }, WATCH_MS).unref()

  const last: (() => Promise<void>)[] = []
  const end = async ({ timeout }: { timeout?: number } = {}) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      if (timeout !== undefined) timer = setTimeout(resolve, timeout * 1000)
    })
    await Promise.race([Promise.all(last.map((work) => work())), late])
    await Promise.race([turns.close(), late])
    clearTimeout(timer)
    clearInterval(watch)
    for (const each of [...connections, probe]) each.end()
    await driver.end({ timeout: 0 })
  }

  /** Listens on a channel; `onListening` is called again each time a lost connection has been replaced. */
  const listen = (channel: string, hear: (payload: string) => void, onListening: () => void = () => {}) => {
    let at = choice?.at() ?? 0
    return listenOn(driver, channel, hear, onListening, () => {
      choice?.leave(at)
      at = choice?.at() ?? 0
    })
  }

  return {
    sql: Object.assign(template, { begin, reserve, end, listen }),
    isAnswering: probe.isAnswering,
    /** Sends a statement here, whoever asks. */
    sendAlone: sendHere as (query: Query) => void,
    beforeEnd: (work: () => Promise<void>) => void last.push(work),
    state: () => ({ busy: turns.held(), waiting: turns.waiting(), pressure: turns.pressure() }),
  }
}
