import type { Use } from '#platform/generations/statement-tables.ts'
import { onceCommitted } from './after-commit.ts'
import { type Caller, currentCaller } from './callers.ts'
import { type Connection, type Driver, isRefusal, lost, type Query, type Send } from './connection.ts'
import { templateOf } from './template.ts'

/** What transactions need of the pool that their connections come from. */
export type Source = {
  driver: Driver
  /** The pool's own functions, which work that waits for a commit is handed. */
  template: Driver
  acquire(): Promise<Connection>
  give(held: Connection, mayStay: boolean): void
  /** Sends one statement; `onDone` hears what it did before whoever asked has the answer, `onEnd` comes after that. */
  sendOver(held: Connection, query: Query, onDone: (use: Use) => void, onEnd: () => void): void
  /** Says that something was written, and on whose behalf. */
  wrote(uses: Iterable<Use>, caller: Caller | undefined): void
}

/** Work that holds one connection for several statements: transactions, and sessions that are reserved. */
export function createTransactions({ driver, template, acquire, give, sendOver, wrote }: Source) {
  /** Statements over a held connection, one after the other; after it broke they fail instead of going elsewhere. */
  const session = (held: Connection) => {
    const pending: Query[] = []
    let isBusy = false
    const state = { isLost: false, isOver: false, failure: undefined as unknown }
    const done = new Set<Use>()
    const sendNext = () => {
      const query = pending.shift()
      isBusy = query !== undefined
      if (query) start(query)
    }
    const start = (query: Query) => {
      const { reject } = query
      query.reject = (error) => {
        state.failure ??= error ?? new Error('the statement failed')
        // The driver may take what follows, such as the rollback, and never send it.
        if (!isRefusal(error)) state.isLost = true
        reject(error)
      }
      if (state.isLost) return query.reject(lost('the connection broke in a transaction'))
      // What changes the time that statements have is sent as it stands, without parameters.
      if (/^\s*set (local )?statement_timeout/.test(query.strings[0] ?? '')) held.isPatient = true
      sendOver(
        held,
        query,
        (use) => void done.add(use),
        () => queueMicrotask(sendNext),
      )
    }
    held.onLost = () => {
      state.isLost = true
      for (const query of pending.splice(0)) query.reject(lost('the connection broke in a transaction'))
    }
    const send: Send = (query) => {
      if (state.isOver) return query.reject(new Error('this transaction is over'))
      if (isBusy && !state.isLost) {
        pending.push(query)
        return
      }
      isBusy = true
      start(query)
    }
    return { sql: templateOf(driver, send), state, done }
  }

  /** Ends a transaction; `committed` is called as well when the answer to a commit that was sent is lost. */
  const commit = async ({ sql, state }: ReturnType<typeof session>, committed: () => void) => {
    const isSent = !state.isLost
    const outcome = await sql.unsafe('commit').catch((error) => {
      if (isSent && !isRefusal(error)) committed()
      throw error
    })
    if (outcome.command !== 'COMMIT') throw new Error(`the transaction ended with ${outcome.command}`)
    committed()
  }

  const begin = async <T>(
    first: string | ((tx: Driver) => Promise<T>),
    second?: (tx: Driver) => Promise<T>,
  ): Promise<T> => {
    const [mode, work] = typeof first === 'string' ? [first, second] : ['', first]
    if (!work) throw new TypeError('a transaction needs work to do')
    const caller = currentCaller()
    // What a transaction reads may be its own and never be seen by anybody else.
    caller?.reading?.readUnknown()
    const held = await acquire()
    const open = session(held)
    const { sql, state, done } = open
    const committed = onceCommitted(sql, template)
    let isClean = false
    let isUndone = false
    try {
      await sql.unsafe(`begin ${mode.replace(/[^a-z ]/gi, '')}`)
      let result: T
      try {
        result = await work(sql)
        // A statement failed and the work went on regardless: the server has given the transaction up.
        if (state.failure !== undefined) throw state.failure
      } catch (error) {
        await sql.unsafe('rollback').then(
          () => {
            isClean = true
            isUndone = true
          },
          () => {},
        )
        throw error
      }
      await commit(open, committed)
      isClean = true
      return result
    } finally {
      state.isOver = true
      // Whoever waits for the answer reads what was committed. A commit that was not answered may have happened.
      if (!isUndone) wrote(done, caller)
      give(held, isClean && !state.isLost)
    }
  }

  const reserve = async () => {
    const held = await acquire()
    const { sql, state, done } = session(held)
    held.isPatient = true
    return Object.assign(sql, {
      release() {
        if (state.isOver) return
        state.isOver = true
        wrote(done, undefined)
        give(held, !state.isLost)
      },
    })
  }

  return { begin, reserve }
}
