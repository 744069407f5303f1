import type { Context } from './context.ts'
import { currentCaller, onPrimary } from './database/callers.ts'

/** An answer is kept a hundred times as long as it took, so that it never costs more than a hundredth of the time. */
const KEPT_TIMES = 100

type Kept<T> = { until: number; answer: Promise<T> }

/** Costly answers that are kept a while: `ranking(ctx, name)`. */
export type CostlyCache<Name, T> = {
  (ctx: Context, name: Name): Promise<T>
  /** Changes what this process keeps, and what it is just looking for: for what must not stay until it is found anew. */
  amend(ctx: Context, change: (answer: T, name: Name) => T): void
  /** Keeps nothing of what was found before. */
  forget(ctx: Context): void
}

/**
 * Wraps what is costly to find and may be a little old: an answer is kept in proportion to what it took, at most
 * `maxMs`, and whoever asks while it is looked for waits for the same one. A failure is not kept. Names are few.
 */
export function cacheCostly<Name, T>(
  maxMs: number,
  find: (ctx: Context, name: Name) => Promise<T>,
): CostlyCache<Name, T> {
  const ofDatabase = new WeakMap<object, Map<Name, Kept<T>>>()
  const get = (ctx: Context, name: Name): Promise<T> => {
    // It ages by itself, and nothing that is made of it is kept.
    currentCaller()?.reading?.readUnknown()
    const known = ofDatabase.get(ctx.sql) ?? new Map<Name, Kept<T>>()
    ofDatabase.set(ctx.sql, known)
    const kept = known.get(name)
    if (kept && Date.now() < kept.until) return kept.answer
    const started = Date.now()
    // Until it is known how long this one takes, everybody waits for the same.
    const entry: Kept<T> = { until: Number.POSITIVE_INFINITY, answer: onPrimary(() => find(ctx, name)) }
    known.set(name, entry)
    entry.answer.then(
      () => {
        const now = Date.now()
        entry.until = now + Math.min((now - started) * KEPT_TIMES, maxMs)
      },
      () => {
        if (known.get(name) === entry) known.delete(name)
      },
    )
    return entry.answer
  }
  return Object.assign(get, {
    amend(ctx: Context, change: (answer: T, name: Name) => T) {
      for (const [name, entry] of ofDatabase.get(ctx.sql) ?? []) {
        entry.answer = entry.answer.then((answer) => change(answer, name))
        // Whoever waits is told of a failure; here it is nobody's.
        entry.answer.catch(() => {})
      }
    },
    forget: (ctx: Context) => void ofDatabase.delete(ctx.sql),
  })
}
