import { LRUCache } from 'lru-cache'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Context } from '#platform/context.ts'
import { currentCaller } from '#platform/database/callers.ts'
import type { LiveCounts } from '#platform/database/reading.ts'
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

/** Plays of whoever asks when a reply that was kept is sent. */
const shownBy = new WeakMap<object, LiveCounts>()

function playsShown(ctx: Context): LiveCounts {
  const known = shownBy.get(ctx.sql)
  if (known) return known
  const made: LiveCounts = {
    add(ids) {
      for (const id of ids) countPlay(ctx, id)
    },
    pending: () => 0,
  }
  shownBy.set(ctx.sql, made)
  return made
}

/**
 * Counts a play, at most once a minute for each listener and song (music-3): in this process by the time of the
 * last one, and where processes share their rate limits, across them.
 */
export function countPlay(ctx: Context, songId: number): void {
  const caller = currentCaller()
  if (caller?.reading) {
    caller.reading.shows(playsShown(ctx), [songId])
    return
  }
  const listener = caller?.userId ?? caller?.address ?? ''
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
