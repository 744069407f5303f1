import { LRUCache } from 'lru-cache'
import type { Db, Fragment } from './database.ts'
import { createScope, runInScope } from './fair-semaphore.ts'
import { Statement } from './statement.ts'

/** Totals up to this number are not cached, so they are exact. */
const COUNTED_MOST = 10_000
const FRESH_MS = 15_000
const KEPT_MS = 600_000
const ENTRIES_MOST = 500

/**
 * Caches large totals, because counting all rows takes longer than reading a result page (administration-2).
 */
export function createTotals(now = () => performance.now()) {
  const kept = new LRUCache<string, { total: number; at: number; isCounted: boolean }>({ max: ENTRIES_MOST })
  const countAnew = async (name: string, count: () => Promise<number>) => {
    const at = now()
    const total = await count()
    if (total > COUNTED_MOST) kept.set(name, { total, at, isCounted: false })
    else kept.delete(name)
    return total
  }
  return async (name: string, count: () => Promise<number>) => {
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

const ofDatabase = new WeakMap<Db, ReturnType<typeof createTotals>>()

export function cachedTotal(sql: Db, counting: Fragment): Promise<number> {
  const totals = ofDatabase.getOrInsertComputed(sql, () => createTotals())
  return totals(nameOf(counting), async () => {
    const [row] = (await counting) as unknown as [{ total: number }]
    return row.total
  })
}

/** Includes the statement's parameter values, so that different filters have different cache keys. */
const nameOf = (statement: Fragment): string =>
  JSON.stringify(statement, (_key, value: unknown) =>
    value instanceof Statement ? [value.strings, value.args] : value,
  )
