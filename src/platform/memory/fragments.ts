import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'

/** A timestamp, or microseconds of the clock. */
type Version = string | number

/**
 * Caches parts of responses with the version of their source row. A change raises the version, so the cache
 * needs no invalidation.
 */
export type Fragments<V extends object> = {
  get(id: number, version: Version): V | undefined
  /** `bytes` is the estimated size of the value in memory. Measured from its JSON by default. */
  set(id: number, version: Version, value: V, bytes?: number): void
}

type Entry = { version: Version; value: object }

const OVERHEAD_BYTES = 300
/**
 * Maximum number of fragment kinds. Keys are numbers, because building a string key costs more than the
 * lookup.
 */
const KINDS = 16

let kinds = 0

const storeOf = defineState(({ config }): { fragments?: LRUCache<number, Entry> } =>
  config.fragmentBytes === 0
    ? {}
    : { fragments: new LRUCache<number, Entry>({ maxSize: config.fragmentBytes }) },
)

/** Declares a kind of fragments. Callers must not mutate the cached values. */
export function defineFragments<V extends object>(): (ctx: Context) => Fragments<V> {
  const kind = kinds++
  if (kind >= KINDS) throw new Error(`more than ${KINDS} kinds of fragments`)
  return (ctx) => {
    const store = storeOf(ctx).fragments
    return {
      get(id, version) {
        const entry = store?.get(id * KINDS + kind)
        return entry?.version === version ? (entry.value as V) : undefined
      },
      set(id, version, value, bytes = JSON.stringify(value).length * 2) {
        store?.set(id * KINDS + kind, { version, value }, { size: bytes + OVERHEAD_BYTES })
      },
    }
  }
}
