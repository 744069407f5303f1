import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { currentCaller, onPrimary } from '#platform/database/callers.ts'
import type { Db } from '#platform/database.ts'
import { sendSignal } from '#platform/signals.ts'

/** Values kept in this process, dropped on every node when what they were made of changes. */
export type Cache<V extends object> = {
  /** The value, from memory or from `load`; what was loaded while the key was dropped is not kept. */
  get(key: string, load: () => Promise<V>): Promise<V> | V
  /** The value if it is in memory. */
  recall(key: string): V | undefined
  /** Tells every node, once the transaction has committed, to drop the key. */
  announce(db: Db, key: string): void
  /** Drops the key here at once: called after the commit, so that this node's next request sees the change. */
  drop(key: string): void
}

/** A signal may be lost with the process that was to send it: nothing stale is kept for longer than this. */
const TTL_MOST_MS = 60_000

/** Declares a cache; the returned function answers the one that belongs to a context. */
export function defineCache<V extends object>(name: string, options: { max: number; ttlMs: number }) {
  if (options.ttlMs > TTL_MOST_MS) throw new RangeError(`${name} would be kept for more than a minute`)
  const caches = new WeakMap<object, Cache<V>>()
  return (ctx: Pick<Context, 'signals' | 'sql'>): Cache<V> => {
    const known = caches.get(ctx.signals)
    if (known) return known
    const entries = new LRUCache<string, V>({ max: options.max, ttl: options.ttlMs })
    let drops = 0
    const { generations } = ctx.sql
    const generation = `cache ${name}`
    const drop = (key: string) => {
      drops += 1
      generations.raise(generation)
      if (key === '*') entries.clear()
      else entries.delete(key)
    }
    ctx.signals.on(name, drop)
    ctx.signals.onReconnect(() => drop('*'))
    const cache: Cache<V> = {
      recall: (key) => entries.get(key),
      get(key, load) {
        currentCaller()?.reading?.readCache(generation)
        const held = entries.get(key)
        if (held !== undefined) return held
        const before = drops
        return onPrimary(load).then((value) => {
          if (before === drops) entries.set(key, value)
          return value
        })
      },
      announce: (db, key) => sendSignal(db, name, key),
      drop,
    }
    caches.set(ctx.signals, cache)
    return cache
  }
}
