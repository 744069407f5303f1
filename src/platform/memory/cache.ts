import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'
import { afterCommit, announce, type Db, onPrimary } from '#platform/database'

/** Maximum age of a cached value, in case an invalidation is lost. */
const TTL_MOST_MS = 60_000

export function defineCache<V extends object>(name: string, options: { max: number; ttlMs: number }) {
  if (options.ttlMs > TTL_MOST_MS) throw new RangeError(`${name} would be cached for more than a minute`)
  return defineState((ctx: Pick<Context, 'signals' | 'state'>) => {
    const entries = new LRUCache<string, V>({ max: options.max, ttl: options.ttlMs })
    let drops = 0
    const drop = (key: string) => {
      drops += 1
      if (key === '*') entries.clear()
      else entries.delete(key)
    }
    ctx.signals.on(name, drop)
    ctx.signals.onReconnect(() => drop('*'))
    /** Does not cache the loaded values if any key was invalidated during the load, because they may be outdated. */
    const keep = async (load: () => Promise<Map<string, V>>) => {
      const before = drops
      const loaded = await onPrimary(load)
      if (before === drops) for (const [key, value] of loaded) entries.set(key, value)
      return loaded
    }
    return {
      recall: (key: string) => entries.get(key),
      /** Returns the cached value, or loads and caches one. */
      get: (key: string, load: () => Promise<V>): Promise<V> | V =>
        entries.get(key) ??
        keep(async () => new Map([[key, await load()]])).then((loaded) => loaded.get(key) as V),
      /** Like `get` for several keys. Loads all missing keys together, and omits those that `load` omits. */
      async getAll(keys: string[], load: (missing: string[]) => Promise<Map<string, V>>) {
        const found = new Map<string, V>()
        const missing: string[] = []
        for (const key of keys) {
          const held = entries.get(key)
          if (held) found.set(key, held)
          else missing.push(key)
        }
        if (missing.length > 0)
          for (const [key, value] of await keep(() => load(missing))) found.set(key, value)
        return found
      },
      /**
       * Invalidates keys on every server node when the transaction commits. Call this after the change, because
       * without a transaction the invalidation is immediate.
       */
      async announce(db: Db, ...keys: string[]): Promise<void> {
        await announce(db, name, keys)
        afterCommit(db, () => keys.forEach(drop))
      },
      dropHere: (db: Db, key: string) => afterCommit(db, () => drop(key)),
    }
  })
}
