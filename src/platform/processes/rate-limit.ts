import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Log } from '#platform/observability'
import { type Channel, supervisorChannel } from './channel.ts'
import { createRedisCounter } from './redis.ts'

export type RateState = {
  limit: number
  remaining: number
  /** Unix time in seconds at which the window ends. */
  resetAt: number
  exceeded: boolean
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

type Options = {
  redisUrl?: string | undefined
  log: Log
  now?: () => number
  startTimeoutMs?: number
  /** Maximum number of keys in memory, at about 100 bytes each. */
  maxKeys?: number
}

const windowLength = 60_000
const unlimited = 1_000_000
const maxKeysInMemory = 1_000_000
/** Maximum difference between the clocks of server nodes in milliseconds. */
const clockSkew = 10_000

/**
 * Counts requests per clock minute, across the processes of this server node or, with `redisUrl`, across all
 * nodes. While Redis is unavailable, each node counts separately.
 */
export function createRateLimiter({
  redisUrl,
  log,
  now,
  maxKeys = maxKeysInMemory,
  startTimeoutMs,
}: Options) {
  const countHere = supervisorChannel ? countWithOthers(supervisorChannel) : countAlone(maxKeys)
  const redis =
    redisUrl === undefined
      ? undefined
      : createRedisCounter(redisUrl, log, now ?? (() => performance.now()), startTimeoutMs)

  /** Counts one request of `key`. With a limit of 0, no request is rejected. */
  function hit(key: string, limit: number): RateState | Promise<RateState> {
    const time = (now ?? Date.now)()
    const window = Math.floor(time / windowLength)
    const resetAt = ((window + 1) * windowLength) / 1000
    if (limit <= 0) return { limit: unlimited, remaining: unlimited, resetAt, exceeded: false }
    const stateOf = (count: number): RateState => ({
      limit,
      remaining: Math.max(limit - count, 0),
      resetAt,
      exceeded: count > limit,
    })
    // Hashes long keys, because keys contain client input and would otherwise fill memory.
    const bounded = key.length > 100 ? createHash('sha256').update(key).digest('base64url') : key
    const lifetime = (window + 1) * windowLength - time + clockSkew
    const counted = redis?.isUsable()
      ? redis
          .count(`${bounded}:${window}`, lifetime)
          .then((count) => count ?? countHere(bounded, window, limit))
      : countHere(bounded, window, limit)
    return typeof counted === 'number' ? stateOf(counted) : counted.then(stateOf)
  }

  return {
    hit,
    /** Time of Redis in milliseconds, whose minutes the nodes share. Undefined without an available Redis. */
    clock: async () => redis?.clock(),
    close: async () => redis?.close(),
  }
}

type CountHere = (key: string, window: number, limit: number) => number | Promise<number>

function countAlone(maxKeys: number): CountHere {
  const count = createMemoryCounter(maxKeys)
  return (key, window) => count(key, window)
}

type Counted = { key: string; window: number; by: number }

/** Fraction of a limit that a process may count without asking the supervisor. */
const unaskedFraction = 1 / 32
const maxCachedTotals = 100_000

/**
 * Counts in the supervisor, because clients spread their requests over processes. Far from the limit, a
 * process counts some requests alone and reports them with the next one, because a message costs as much as
 * a tenth of a request. A client can therefore exceed a limit by 1/32 for each further process.
 */
export function countWithOthers(supervisor: Channel): CountHere {
  const totals = new LRUCache<string, { window: number; total: number; unreported: number }>({
    max: maxCachedTotals,
  })
  return (key, window, limit) => {
    const known = totals.get(key)
    const isCurrent = known?.window === window
    if (isCurrent && known.unreported < Math.floor(limit * unaskedFraction) && known.total < limit / 2) {
      known.unreported += 1
      return known.total + known.unreported
    }
    const by = 1 + (isCurrent ? known.unreported : 0)
    if (isCurrent) known.unreported = 0
    return supervisor.ask<number>('count use', { key, window, by } satisfies Counted).then(
      (total) => {
        const later = totals.get(key)
        totals.set(key, { window, total, unreported: later?.window === window ? later.unreported : 0 })
        return total
      },
      // The channel fails when the supervisor has exited. This process is then about to exit too, so it allows
      // every request.
      () => 0,
    )
  }
}

export function countForProcesses(): (channel: Channel) => void {
  const count = createMemoryCounter(maxKeysInMemory)
  return (channel) => channel.on<Counted>('count use', ({ key, window, by }) => count(key, window, by))
}

/** Uses one map per window, so that no key needs its own expiry. */
function createMemoryCounter(maxKeys: number): (key: string, window: number, by?: number) => number {
  let counts = new Map<string, number>()
  let current = -1
  return (key, window, by = 1) => {
    // Counts a late request of the previous window in the current one. Switching back would reset the current
    // counts.
    if (window > current || window < current - 1) {
      current = window
      counts = new Map()
    }
    const count = (counts.get(key) ?? 0) + by
    if (!counts.has(key) && counts.size >= maxKeys) evict(counts)
    counts.set(key, count)
    return count
  }
}

/**
 * Evicts a tenth of the keys at once, because removing the first entry of a Map repeatedly takes quadratic
 * time. Starts with keys of a single request, so that a flood of random keys cannot evict clients near their
 * limit.
 */
function evict(counts: Map<string, number>): void {
  let surplus = Math.ceil(counts.size / 10)
  for (const threshold of [1, Number.POSITIVE_INFINITY]) {
    for (const [key, count] of counts) {
      if (surplus === 0) return
      if (count > threshold) continue
      counts.delete(key)
      surplus--
    }
  }
}
