import { LRUCache } from 'lru-cache'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Context } from '#platform/context.ts'
import { addPlays } from './queries.ts'

const MINUTE_MS = 60_000

/** Plays counted here that are not in the database yet. */
export const playsOf = defineBufferedCounts('plays', addPlays)

const heard = new WeakMap<object, LRUCache<string, true>>()

function heardBy(ctx: Context): LRUCache<string, true> {
  const known = heard.get(ctx.sql)
  if (known) return known
  const cache = new LRUCache<string, true>({ max: 200_000, ttl: MINUTE_MS })
  heard.set(ctx.sql, cache)
  return cache
}

/**
 * Counts a play, at most once a minute for each listener and song (music-3): in this process by the time of the
 * last one, and where processes share their rate limits, across them.
 */
export function countPlay(ctx: Context, listener: string, songId: number): void {
  const key = `play:${songId}:${listener}`
  const cache = heardBy(ctx)
  if (cache.has(key)) return
  cache.set(key, true)
  const count = ({ exceeded }: { exceeded: boolean }) => {
    if (!exceeded) playsOf(ctx).add([songId])
  }
  const hit = ctx.limiter.hit(key, 1)
  // Nobody waits for a shared counter: the play appears a moment later.
  if (hit instanceof Promise) hit.then(count, () => count({ exceeded: false }))
  else count(hit)
}
