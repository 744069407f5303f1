import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { currentCaller, newCaller } from '#platform/database/callers.ts'
import type { Sources } from '#platform/generations.ts'
import { noting } from './reading.ts'

/** Nothing is kept for longer, whatever was not told of what it was read from. */
const LONGEST_MS = 60_000

type Entry<V> = { value: V; sources: Sources; readAt: number }

/**
 * Keeps what is read for many requests and is no reply by itself, each value until a table that it was read from is
 * written (docs/kept-pages.md). `max` is how many are kept; those unused longest make way.
 */
export function keptValues<V extends object>(max: number) {
  const ofContext = new WeakMap<Context, LRUCache<string, Entry<V>>>()
  return async (ctx: Context, key: string, read: () => Promise<V>): Promise<V> => {
    const kept = ofContext.get(ctx) ?? new LRUCache<string, Entry<V>>({ max })
    ofContext.set(ctx, kept)
    const { generations } = ctx.sql
    const isGood = ({ sources, readAt }: Entry<V>) => {
      if (sources.isUnknown || sources.isTimed || sources.ends.size > 0) return false
      if (performance.now() - readAt >= LONGEST_MS) return false
      const { rows, counts } = generations.lastWrite(sources)
      return rows <= sources.since && counts <= sources.since
    }
    const reading = currentCaller()?.reading
    let entry = kept.get(key)
    if (!entry || !isGood(entry)) {
      const readAt = performance.now()
      const caller = { ...newCaller(), keys: currentCaller()?.keys ?? [] }
      const { value, noted } = await noting(generations, caller, read)
      entry = { value, sources: noted.sources, readAt }
      if (isGood(entry)) kept.set(key, entry)
      else reading?.readUnknown()
    }
    for (const table of entry.sources.tables) reading?.readCache(table)
    return entry.value
  }
}
