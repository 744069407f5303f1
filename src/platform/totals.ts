import { LRUCache } from 'lru-cache'
import { newCaller, onBehalfOf } from './database/callers.ts'
import { isQuery } from './database/connection.ts'
import type { Db, Fragment } from './database.ts'

/** Up to here a total is counted whenever it is asked for, so it is exact. */
const COUNTED_MOST = 10_000
/** A total that is older is counted anew behind the answer that still tells it. */
const FRESH_MS = 15_000
/** And none is told that is older. */
const KEPT_MS = 600_000
const ENTRIES_MOST = 500

/** Answers what `count` counts, or lately did: `totals(name, count)`. */
export type Totals = (name: string, count: () => Promise<number>) => Promise<number>

/** Totals of what is so much that counting it takes longer than reading a page of it (administration-2). */
export function createTotals(now: () => number = Date.now): Totals {
  const kept = new LRUCache<string, { total: number; at: number; isCounted: boolean }>({ max: ENTRIES_MOST })
  const countAnew = async (name: string, count: () => Promise<number>) => {
    const at = now()
    const total = await count()
    if (total > COUNTED_MOST) kept.set(name, { total, at, isCounted: false })
    else kept.delete(name)
    return total
  }
  return async (name, count) => {
    const known = kept.get(name)
    const age = known ? now() - known.at : 0
    if (!known || age > KEPT_MS) return countAnew(name, count)
    if (age > FRESH_MS && !known.isCounted) {
      known.isCounted = true
      onBehalfOf(newCaller(), () => countAnew(name, count)).catch(() => {
        // Whoever asks next tries again.
        known.isCounted = false
      })
    }
    return known.total
  }
}

const ofDatabase = new WeakMap<Db, Totals>()

/** What `counting`, a statement that answers `total`, counts in this database, or lately did. */
export function totalOf(sql: Db, counting: Fragment): Promise<number> {
  const totals = ofDatabase.get(sql) ?? createTotals()
  ofDatabase.set(sql, totals)
  return totals(nameOf(counting), async () => {
    const [row] = (await counting) as unknown as [{ total: number }]
    return row.total
  })
}

/** A statement is known by its text and the values in it. */
const nameOf = (statement: Fragment): string =>
  JSON.stringify(statement, (_key, value: unknown) => (isQuery(value) ? [value.strings, value.args] : value))
