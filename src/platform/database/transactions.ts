import { type Connection, connectionError, isRefusal } from './connection.ts'
import { createTag, type Query, type Send, type Tag } from './statement.ts'

type Work = (pool: never) => void

/** Work to do after the commit of each open transaction. */
const transactions = new WeakMap<Tag, Work[]>()

/**
 * Runs the work after the commit, or at once when `db` is the pool. Also runs the work when the connection
 * breaks during the commit, so the work must be harmless if the transaction rolled back.
 */
export function afterCommit<Pool extends Tag>(db: Tag, work: (pool: Pool) => void): void {
  const waiting = transactions.get(db)
  if (waiting) waiting.push(work)
  else work(db as Pool)
}

const brokenError = () => connectionError('the connection broke in a transaction')

export type ConnectionSource = {
  tag: Tag
  acquire(): Promise<Connection>
  give(held: Connection, mayStay: boolean): void
  sendOver(held: Connection, query: Query, onEnd: () => void): void
}

export function createTransactions({ tag, acquire, give, sendOver }: ConnectionSource) {
  /**
   * Sends statements in order over one connection. After the connection breaks, rejects all later statements.
   */
  const session = (held: Connection) => {
    const pending: Query[] = []
    let isBusy = false
    const state = { isLost: false, isOver: false, failure: undefined as unknown }
    const sendNext = () => {
      const query = pending.shift()
      isBusy = query !== undefined
      if (query) start(query)
    }
    const start = (query: Query) => {
      const { reject } = query
      query.reject = (error) => {
        state.failure ??= error ?? new Error('the statement failed')
        if (!isRefusal(error)) state.isLost = true
        reject(error)
      }
      if (state.isLost) return query.reject(brokenError())
      // Exempts a transaction that sets its own statement timeout from the response deadline.
      if (/^\s*set (local )?statement_timeout/.test(query.text)) held.isPatient = true
      sendOver(held, query, sendNext)
    }
    held.onLost = () => {
      state.isLost = true
      for (const query of pending.splice(0)) query.reject(brokenError())
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
    return { sql: createTag(send, true), state }
  }

  /**
   * Also calls `committed` when the confirmation of the commit is lost, because PostgreSQL may have
   * committed.
   */
  const commit = async ({ sql, state }: ReturnType<typeof session>, committed: () => void) => {
    const isSent = !state.isLost
    const outcome = await sql.unsafe('commit').catch((error) => {
      if (isSent && !isRefusal(error)) committed()
      throw error
    })
    if (outcome.command !== 'COMMIT') throw new Error(`the transaction ended with ${outcome.command}`)
    committed()
  }

  const begin = async <T>(work: (tx: Tag) => Promise<T>): Promise<T> => {
    const held = await acquire()
    const open = session(held)
    const { sql, state } = open
    const waiting: Work[] = []
    transactions.set(sql, waiting)
    const committed = () => {
      for (const work of waiting.splice(0)) work(tag as never)
    }
    let isClean = false
    try {
      await sql.unsafe('begin')
      let result: T
      try {
        result = await work(sql)
        // A failed statement aborts the transaction in PostgreSQL, even if `work` caught the error.
        if (state.failure !== undefined) throw state.failure
      } catch (error) {
        isClean = await sql.unsafe('rollback').then(
          () => true,
          () => false,
        )
        throw error
      }
      await commit(open, committed)
      isClean = true
      return result
    } finally {
      state.isOver = true
      give(held, isClean && !state.isLost)
    }
  }

  const reserve = async () => {
    const held = await acquire()
    const { sql, state } = session(held)
    held.isPatient = true
    return Object.assign(sql, {
      release() {
        if (state.isOver) return
        state.isOver = true
        give(held, !state.isLost)
      },
    })
  }

  return { begin, reserve }
}
