import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'
import { currentScope } from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'
import { addPlays } from './queries.ts'

const MINUTE_MS = 60_000

/** Plays buffered in memory. */
export const playsOf = defineBufferedCounts('plays', addPlays)

/** Listener and song of recent plays. */
const recentPlays = defineState(() => new LRUCache<string, true>({ max: 200_000, ttl: MINUTE_MS }))

/**
 * Counts a play, at most once a minute for each listener and song (music-3). The limit holds in this process,
 * and across processes when they share rate limits.
 */
export function countPlay(ctx: Context, songId: number): void {
  const caller = currentScope()
  const listener = caller?.userId ?? caller?.address ?? ''
  const key = `play:${songId}:${listener}`
  const cache = recentPlays(ctx)
  if (cache.has(key)) return
  cache.set(key, true)
  const count = ({ exceeded }: { exceeded: boolean }) => {
    if (!exceeded) playsOf(ctx).add([songId])
  }
  const hit = ctx.limiter.hit(key, 1)
  // Requests do not wait for a shared counter. The play appears a moment later.
  if (hit instanceof Promise) hit.then(count, () => count({ exceeded: false }))
  else count(hit)
}
