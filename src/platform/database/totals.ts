import { LRUCache } from 'lru-cache'
import type { Db, Fragment } from './database.ts'
import { createScope, runInScope } from './request-scope.ts'
import { Statement } from './statement.ts'

/** Totals up to this number are counted on every request, so they are exact. */
const COUNTED_MOST = 10_000
/** An older total is returned once more while it is recounted in the background. */
const FRESH_MS = 15_000
/** Maximum age of a returned total. */
const KEPT_MS = 600_000
const ENTRIES_MOST = 500

/** Returns a fresh or cached result of `count`: `totals(name, count)`. */
export type Totals = (name: string, count: () => Promise<number>) => Promise<number>

/** Caches totals of large lists, because counting takes longer than reading a page (administration-2). */
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
      runInScope(createScope(), () => countAnew(name, count)).catch(() => {
        known.isCounted = false
      })
    }
    return known.total
  }
}

const ofDatabase = new WeakMap<Db, Totals>()

/** Returns a fresh or cached result of `counting`, a statement that selects `total`. */
export function cachedTotal(sql: Db, counting: Fragment): Promise<number> {
  const totals = ofDatabase.get(sql) ?? createTotals()
  ofDatabase.set(sql, totals)
  return totals(nameOf(counting), async () => {
    const [row] = (await counting) as unknown as [{ total: number }]
    return row.total
  })
}

/** The cache key of a statement is its text with its values. */
const nameOf = (statement: Fragment): string =>
  JSON.stringify(statement, (_key, value: unknown) =>
    value instanceof Statement ? [value.strings, value.args] : value,
  )
