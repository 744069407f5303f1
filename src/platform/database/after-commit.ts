type Work<Pool> = (pool: Pool) => void

/** The transactions that are open, with the pool that each belongs to and what is to be done once it has committed. */
const transactions = new WeakMap<object, { pool: unknown; work: Work<never>[] }>()

/**
 * A transaction begins; the returned function is called when it has committed, or when nobody knows whether it has
 * because the answer was lost.
 */
export function onceCommitted(transaction: object, pool: unknown): () => void {
  const waiting = { pool, work: [] as Work<never>[] }
  transactions.set(transaction, waiting)
  return () => {
    for (const work of waiting.work.splice(0)) work(waiting.pool as never)
  }
}

/**
 * Does the work after the commit of the transaction, or at once where `db` is a pool. What is rolled back is never
 * followed by it; what may have been committed is, so the work must do no harm where nothing has changed.
 */
export function afterCommit<Pool extends Db, Db extends object>(db: Db, work: Work<Pool>): void {
  const waiting = transactions.get(db)
  if (waiting) waiting.work.push(work as Work<never>)
  else work(db as unknown as Pool)
}
