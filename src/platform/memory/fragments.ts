import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'

/**
 * Cached parts of replies. The key holds the version of the source rows, so there is no invalidation: after a
 * change readers use another key.
 */
export type Fragments<V extends object> = {
  get(id: number, version: string): V | undefined
  set(id: number, version: string, value: V): void
}

/** Overhead of an entry beside its text. */
const OVERHEAD_BYTES = 300

/** The memory that all kinds of fragments share (FRAGMENTS_MB); none when it is 0. */
const storeOf = defineState(({ config }): { fragments?: LRUCache<string, object> } =>
  config.fragmentBytes === 0
    ? {}
    : { fragments: new LRUCache<string, object>({ maxSize: config.fragmentBytes }) },
)

/**
 * Declares a kind of fragments. The returned function returns the instance of a context. Values are
 * immutable.
 */
export function defineFragments<V extends object>(kind: string): (ctx: Context) => Fragments<V> {
  return (ctx) => {
    const store = storeOf(ctx).fragments
    const keyOf = (id: number, version: string) => `${kind} ${id} ${version}`
    return {
      get: (id, version) => store?.get(keyOf(id, version)) as V | undefined,
      set(id, version, value) {
        const size = JSON.stringify(value).length * 2 + OVERHEAD_BYTES
        store?.set(keyOf(id, version), value, { size })
      },
    }
  }
}
