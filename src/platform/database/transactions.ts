import { type Connection, connectionError, isRefusal } from './connection.ts'
import { createTag, type Query, type Send, type Statement, type Tag } from './statement.ts'

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

/**
 * Sends the last statement of a transaction without waiting for its answer, so that the commit follows in the same
 * write. A failure of the statement fails the transaction. Calls `done` with the rows after the commit, with undefined
 * if the connection broke before the answer, and at once when `db` is the pool.
 */
export async function sendWithCommit<T extends readonly unknown[], Pool extends Tag>(
  db: Tag,
  statement: Statement<T>,
  done: (pool: Pool, rows: T | undefined) => void,
): Promise<void> {
  if (!transactions.has(db)) return done(db as Pool, await statement)
  const sent = statement.execute()
  // The commit reports the failure.
  sent.catch(() => {})
  afterCommit(db, (pool: Pool) => {
    void sent.then(
      (rows) => done(pool, rows),
      () => done(pool, undefined),
    )
  })
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

const ROLLBACK = 'rollback'

/** A statement of the simple protocol, which may contain several statements and ends with a Sync of its own. */
const isText = ({ name, values }: Query) => name === undefined && values.length === 0

const rollback = (sql: Tag): Promise<boolean> =>
  sql.unsafe(ROLLBACK).then(
    () => true,
    () => false,
  )

export function createTransactions({ tag, acquire, give, sendOver }: ConnectionSource) {
  /**
   * Sends statements in order over one connection, and the statements of one tick in one write. After the connection
   * breaks, rejects all later statements. After a failed statement of a transaction, rejects all but its rollback.
   */
  const session = (held: Connection, { isTransaction }: { isTransaction: boolean }) => {
    let waiting: Query[] = []
    let isSending = false
    let isBeginning = false
    const state = {
      isBegun: !isTransaction,
      isUsed: !isTransaction,
      isLost: false,
      isOver: false,
      isStopped: false,
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
      // If BEGIN itself failed, PostgreSQL would commit this statement by itself.
      if (isTransaction && state.failure !== undefined && query.text !== ROLLBACK) {
        state.isStopped = true
        return query.reject(state.failure)
      }
      // Exempts a transaction that sets its own statement timeout from the response deadline.
      if (/^\s*set (local )?statement_timeout/.test(query.text)) held.isPatient = true
      sendOver(held, query, () => {})
    }
    /**
     * Adds BEGIN to the first statement. The other statements of its tick share its Sync, because a failed BEGIN must
     * also skip them. Later statements wait for the answer.
     */
    const beginWith = (first: Query, rest: Query[]): Query[] => {
      state.isBegun = true
      isBeginning = true
      const answered = () => {
        isBeginning = false
        sendLater()
      }
      const { resolve, reject } = first
      first.resolve = (rows) => {
        resolve(rows)
        answered()
      }
      first.reject = (error) => {
        reject(error)
        answered()
      }
      if (isText(first)) {
        first.text = `begin;${first.text}`
        waiting = rest
        return [first]
      }
      first.begins = true
      const end = rest.findIndex(isText)
      const group = [first, ...(end < 0 ? rest : rest.slice(0, end))]
      waiting = end < 0 ? [] : rest.slice(end)
      for (const query of group.slice(0, -1)) query.isFollowed = true
      return group
    }
    const sendWaiting = () => {
      isSending = false
      if (isBeginning) return
      const [first, ...rest] = waiting
      waiting = []
      if (first === undefined) return
      const queries = state.isBegun ? [first, ...rest] : beginWith(first, rest)
      held.together(() => {
        for (const query of queries) start(query)
      })
    }
    const sendLater = () => {
      if (isSending) return
      isSending = true
      process.nextTick(sendWaiting)
    }
    held.onLost = () => {
      state.isLost = true
    }
    const send: Send = (query) => {
      if (state.isOver) return query.reject(new Error('this transaction is over'))
      state.isUsed = true
      waiting.push(query)
      sendLater()
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
    const outcome = await sql.unsafe('commit').catch(async (error) => {
      if (state.isStopped && !state.isLost) state.isRolledBack = await rollback(sql)
      else if (isSent && !isRefusal(error)) committed()
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
    const open = session(held, { isTransaction: true })
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
        isClean = !state.isUsed || (await rollback(sql))
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
    const { sql, state } = session(held, { isTransaction: false })
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
