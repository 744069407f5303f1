import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'
import { epochOf } from '#platform/epoch.ts'

/** A `timestamptz` value, or microseconds from `version_now()`. */
type Version = string | number

type Entry = { version: Version; value: object }

const OVERHEAD_BYTES = 300
/**
 * Maximum number of fragment kinds. Keys are numbers, because building a string key costs more than the
 * lookup.
 */
const KINDS = 16

let kinds = 0

/** With a size of 1, the cache stores nothing, because each entry is larger. */
const storeOf = defineState((ctx: Context) => {
  const store = new LRUCache<number, Entry>({ maxSize: Math.max(1, ctx.config.fragmentBytes) })
  // Another epoch may give a version of the cached one to other content.
  epochOf(ctx).onChange(() => store.clear())
  return store
})

/**
 * Caches parts of responses with the version of their source row. A change raises the version, so the cache
 * needs no invalidation. Callers must not mutate the cached values.
 */
export function defineFragments<V extends object>() {
  const kind = kinds++
  if (kind >= KINDS) throw new Error(`more than ${KINDS} kinds of fragments`)
  return (ctx: Context) => {
    const store = storeOf(ctx)
    const get = (id: number, version: Version): V | undefined => {
      const entry = store.get(id * KINDS + kind)
      return entry?.version === version ? (entry.value as V) : undefined
    }
    /** `bytes` is the estimated size of the value in memory. Measured from its JSON by default. */
    const set = (id: number, version: Version, value: V, bytes = JSON.stringify(value).length * 2) => {
      store.set(id * KINDS + kind, { version, value }, { size: bytes + OVERHEAD_BYTES })
    }
    /** Returns cached values by id. Loads the others, and caches them under the version that `load` read. */
    const find = async (
      wanted: Iterable<{ id: number; version: Version }>,
      load: (missing: number[]) => Promise<{ id: number; version: Version; value: V }[]>,
    ) => {
      const found = new Map<number, V>()
      const missing: number[] = []
      for (const { id, version } of wanted) {
        const known = get(id, version)
        if (known) found.set(id, known)
        else missing.push(id)
      }
      for (const { id, version, value } of missing.length > 0 ? await load(missing) : []) {
        set(id, version, value)
        found.set(id, value)
      }
      return found
    }
    return { find, get, set }
  }
}
