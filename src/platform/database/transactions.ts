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

/** Code of every statement after the failed one of a transaction. */
const ABORTED = '25P02'
const isAborted = (error: unknown) => (error as { code?: unknown } | undefined)?.code === ABORTED

export function createTransactions({ tag, acquire, give, sendOver }: ConnectionSource) {
  /**
   * Sends statements in order over one connection, and the statements of one tick in one write. After the connection
   * breaks, rejects all later statements.
   */
  const session = (held: Connection, { isBegun }: { isBegun: boolean }) => {
    let waiting: Query[] = []
    const state = {
      isBegun,
      isUsed: isBegun,
      isLost: false,
      isOver: false,
      isRolledBack: false,
      failure: undefined as unknown,
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
      sendOver(held, query, () => {})
    }
    const begin = (first: Query) => {
      state.isBegun = true
      if (first.name === undefined && first.values.length === 0) first.text = `begin;${first.text}`
      else first.begins = true
    }
    const sendWaiting = () => {
      const queries = waiting
      waiting = []
      held.together(() => {
        for (const query of queries) {
          if (!state.isBegun) begin(query)
          start(query)
        }
      })
    }
    held.onLost = () => {
      state.isLost = true
    }
    const send: Send = (query) => {
      if (state.isOver) return query.reject(new Error('this transaction is over'))
      state.isUsed = true
      if (waiting.length === 0) process.nextTick(sendWaiting)
      waiting.push(query)
    }
    return { sql: createTag(send, true), state }
  }

  /**
   * Also calls `committed` when the confirmation of the commit is lost, because PostgreSQL may have
   * committed.
   */
  const commit = async ({ sql, state }: ReturnType<typeof session>, committed: () => void) => {
    if (!state.isUsed) return committed()
    const isSent = !state.isLost
    const outcome = await sql.unsafe('commit').catch((error) => {
      if (isSent && !isRefusal(error)) committed()
      throw error
    })
    // Reports the failure of a statement that the transaction did not await.
    state.isRolledBack = outcome.command === 'ROLLBACK'
    if (outcome.command !== 'COMMIT')
      throw state.failure ?? new Error(`the transaction ended with ${outcome.command}`)
    committed()
  }

  const begin = async <T>(work: (tx: Tag) => Promise<T>): Promise<T> => {
    const held = await acquire()
    const open = session(held, { isBegun: false })
    const { sql, state } = open
    const waiting: Work[] = []
    transactions.set(sql, waiting)
    const committed = () => {
      for (const work of waiting.splice(0)) work(tag as never)
    }
    let isClean = false
    try {
      let result: T
      try {
        result = await work(sql)
        // A failed statement aborts the transaction in PostgreSQL, even if `work` caught the error.
        if (state.failure !== undefined) throw state.failure
      } catch (error) {
        isClean =
          !state.isUsed ||
          (await sql.unsafe('rollback').then(
            () => true,
            () => false,
          ))
        throw isAborted(error) ? (state.failure ?? error) : error
      }
      await commit(open, committed)
      isClean = true
      return result
    } finally {
      state.isOver = true
      give(held, (isClean || state.isRolledBack) && !state.isLost)
    }
  }

  const reserve = async () => {
    const held = await acquire()
    const { sql, state } = session(held, { isBegun: true })
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
