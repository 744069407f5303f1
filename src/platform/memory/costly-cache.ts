import { type Context, defineState } from '#platform/context.ts'
import { onPrimary } from '#platform/database'

/** Caches a value for a hundred times its load time, so that loading takes at most 1 % of the time. */
const KEPT_TIMES = 100

type Kept<T> = { until: number; answer: Promise<T> }

/**
 * The cache lifetime of a value grows with its load time, up to `maxMs`. Use few names, because entries are
 * not evicted.
 */
export function cacheCostly<Name, T>(maxMs: number, find: (ctx: Context, name: Name) => Promise<T>) {
  const keptOf = defineState(() => new Map<Name, Kept<T>>())
  const get = (ctx: Context, name: Name): Promise<T> => {
    const known = keptOf(ctx)
    const kept = known.get(name)
    if (kept && performance.now() < kept.until) return kept.answer
    const started = performance.now()
    // Does not expire during the load, so that concurrent callers share the promise of this entry.
    const entry: Kept<T> = { until: Number.POSITIVE_INFINITY, answer: onPrimary(() => find(ctx, name)) }
    known.set(name, entry)
    entry.answer.then(
      () => {
        const now = performance.now()
        entry.until = now + Math.min((now - started) * KEPT_TIMES, maxMs)
      },
      () => {
        if (known.get(name) === entry) known.delete(name)
      },
    )
    return entry.answer
  }
  return Object.assign(get, {
    /** Changes the cached values and the values being loaded, for changes that viewers must see at once. */
    amend(ctx: Context, change: (answer: T, name: Name) => T) {
      for (const [name, entry] of keptOf(ctx)) {
        entry.answer = entry.answer.then((answer) => change(answer, name))
        // Callers of the cache receive the failure. This handler only avoids an unhandled rejection.
        entry.answer.catch(() => {})
      }
    },
    forget: (ctx: Context) => keptOf(ctx).clear(),
  })
}
