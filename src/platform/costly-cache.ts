import type { Context } from './context.ts'

/** An answer is kept a hundred times as long as it took, so that it never costs more than a hundredth of the time. */
const KEPT_TIMES = 100

type Kept<T> = { until: number; answer: Promise<T> }

/**
 * Wraps what is costly to find and may be a little old: an answer is kept in proportion to what it took, at most
 * `maxMs`, and whoever asks while it is looked for waits for the same one. A failure is not kept. Names are few.
 */
export function cacheCostly<Name, T>(maxMs: number, find: (ctx: Context, name: Name) => Promise<T>) {
  const ofDatabase = new WeakMap<object, Map<Name, Kept<T>>>()
  return (ctx: Context, name: Name): Promise<T> => {
    const known = ofDatabase.get(ctx.sql) ?? new Map<Name, Kept<T>>()
    ofDatabase.set(ctx.sql, known)
    const kept = known.get(name)
    if (kept && Date.now() < kept.until) return kept.answer
    const started = Date.now()
    // Until it is known how long this one takes, everybody waits for the same.
    const entry: Kept<T> = { until: Number.POSITIVE_INFINITY, answer: find(ctx, name) }
    known.set(name, entry)
    entry.answer.then(
      () => {
        const now = Date.now()
        entry.until = now + Math.min((now - started) * KEPT_TIMES, maxMs)
      },
      () => known.delete(name),
    )
    return entry.answer
  }
}
