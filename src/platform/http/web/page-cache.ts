import { LRUCache } from 'lru-cache'
import type { WebReply } from './build.ts'

/** Maximum memory of cached pages. */
const BYTES_MOST = 16 * 1024 * 1024
/** Estimated memory of an entry besides its texts. */
const ENTRY_BYTES = 500

/** Pages for guests, each for `maxAgeMs` at most. Requests for a page that is being rendered share the result. */
export function createPageCache(maxAgeMs: number) {
  const cache = new LRUCache<string, WebReply, () => Promise<WebReply | undefined>>({
    maxSize: BYTES_MOST,
    // JavaScript takes up to two bytes for a character.
    sizeCalculation: ({ body }, key) => 2 * (key.length + body.length) + ENTRY_BYTES,
    ttl: Math.max(1, maxAgeMs),
    fetchMethod: (_key, _old, { context: render }) => render(),
    // An eviction while the page is rendered must not fail the request.
    ignoreFetchAbort: true,
  })
  return {
    /** Returns the page of a key, rendered when there is none; undefined for an address without a page. */
    get(key: string, render: () => Promise<WebReply | undefined>): Promise<WebReply | undefined> {
      return maxAgeMs > 0 ? cache.fetch(key, { context: render }) : render()
    },
    bytes: () => cache.calculatedSize,
  }
}
