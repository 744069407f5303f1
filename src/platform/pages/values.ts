import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { currentCaller, newCaller } from '#platform/database/callers.ts'
import { compare } from './compare.ts'
import { type MadeOf, pagesOf } from './pages.ts'
import { noting } from './reading.ts'

type Entry<V> = MadeOf & { value: V }

/**
 * Keeps what is read for many requests and is no reply by itself, each value until a table that it was read from is
 * written (docs/kept-pages.md). `max` is how many are kept; those unused longest make way.
 */
export function keptValues<V extends object>(max: number) {
  const ofContext = new WeakMap<Context, LRUCache<string, Entry<V>>>()
  return async (ctx: Context, key: string, read: () => Promise<V>): Promise<V> => {
    if (ctx.config.keptPages.bytes === 0) return read()
    // What is made of it would have to know when it ends.
    currentCaller()?.reading?.readUnknown()
    const kept = ofContext.get(ctx) ?? new LRUCache<string, Entry<V>>({ max })
    ofContext.set(ctx, kept)
    const pages = pagesOf(ctx)
    const known = kept.get(key)
    if (known && pages.isExact(known)) {
      if (pages.isVerified)
        await compare(ctx, {
          page: known,
          key: `the value ${key}`,
          shown: async () => JSON.stringify(known.value),
          write: async () => JSON.stringify(await read()),
        })
      return known.value
    }
    const readAt = performance.now()
    const caller = { ...newCaller(), keys: currentCaller()?.keys ?? [] }
    const { value, noted } = await noting(ctx.sql.generations, caller, read)
    const entry = { value, noted, readAt }
    if (pages.isExact(entry)) kept.set(key, entry)
    return value
  }
}
