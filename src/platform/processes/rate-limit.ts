import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Redis, Result } from 'ioredis'
import type { Log } from '#platform/observability'
import { type Channel, supervisorChannel } from './channel.ts'
import { connectRedis } from './redis.ts'

export type RateState = {
  limit: number
  remaining: number
  /** End of the window, in seconds since the epoch. */
  resetAt: number
  exceeded: boolean
}

export type RateLimiter = {
  /** Counts one request of `key` and returns its state; a limit of 0 means none. */
  hit(key: string, limit: number): RateState | Promise<RateState>
  close(): Promise<void>
}

type Options = {
  redisUrl?: string | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now?: () => number
  /** How long the first requests wait for a connection to Redis. */
  startTimeoutMs?: number
  /** Keys in memory, about 100 bytes each. */
  maxKeys?: number
}

const windowLength = 60_000
const unlimited = 1_000_000
const keyPrefix = 'kith:rate:'
/** How long requests count in memory after a failure before one of them retries Redis. */
const retryAfter = 1_000
const startTimeout = 500
/** Maximum difference between the clocks of the processes. */
const clockSkew = 10_000

declare module 'ioredis' {
  interface RedisCommander<Context> {
    kithRateHit(key: string, milliseconds: number): Result<number, Context>
  }
}

const hitScript = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return count`

/**
 * Fixed windows of one clock minute, counted for all processes of this machine or, with `redisUrl`, for all
 * nodes. While Redis is unavailable, each node counts separately.
 */
export function createRateLimiter({
  redisUrl,
  log,
  now = Date.now,
  maxKeys = 1_000_000,
  startTimeoutMs = startTimeout,
}: Options): RateLimiter {
  const countHere = supervisorChannel ? countWithOthers(supervisorChannel) : countAlone(maxKeys)
  const redis = redisUrl === undefined ? undefined : createRedisCounter(redisUrl, log, now, startTimeoutMs)

  function hit(key: string, limit: number): RateState | Promise<RateState> {
    const time = now()
    const window = Math.floor(time / windowLength)
    const resetAt = ((window + 1) * windowLength) / 1000
    if (limit <= 0) return { limit: unlimited, remaining: unlimited, resetAt, exceeded: false }
    // Keys hold client input, so their length is bounded here.
    const bounded = key.length > 100 ? createHash('sha256').update(key).digest('base64url') : key
    const alone = () => countHere(bounded, window, limit, resetAt)
    if (!redis?.isUsable()) return alone()
    const lifetime = (window + 1) * windowLength - time + clockSkew
    return redis
      .count(`${bounded}:${window}`, lifetime)
      .then((count) => (count === undefined ? alone() : stateOf(count, limit, resetAt)))
  }

  return { hit, close: async () => redis?.close() }
}

function stateOf(count: number, limit: number, resetAt: number): RateState {
  return { limit, remaining: Math.max(limit - count, 0), resetAt, exceeded: count > limit }
}

type CountHere = (
  key: string,
  window: number,
  limit: number,
  resetAt: number,
) => RateState | Promise<RateState>

function countAlone(maxKeys: number): CountHere {
  const count = createMemoryCounter(maxKeys)
  return (key, window, limit, resetAt) => stateOf(count(key, window), limit, resetAt)
}

type Counted = { key: string; window: number }

/** Asks the supervisor, which takes some 10 to 80 µs. */
export function countWithOthers(supervisor: Channel): CountHere {
  return async (key, window, limit, resetAt) => {
    // Without the supervisor the process is about to exit, so it allows everything.
    const count = await supervisor.ask<number>('count use', { key, window } satisfies Counted).catch(() => 0)
    return stateOf(count, limit, resetAt)
  }
}

/** Counts for all processes, in the supervisor. Returns what connects a process. */
export function countForProcesses(maxKeys = 1_000_000): (channel: Channel) => void {
  const count = createMemoryCounter(maxKeys)
  return (channel) => channel.on<Counted>('count use', ({ key, window }) => count(key, window))
}

/** One map per window, dropped as a whole; at most `maxKeys` in it. */
function createMemoryCounter(maxKeys: number): (key: string, window: number) => number {
  let counts = new Map<string, number>()
  let current = -1
  return (key, window) => {
    // A late call from the last window counts in this one instead of emptying it.
    if (window > current || window < current - 1) {
      current = window
      counts = new Map()
    }
    const count = (counts.get(key) ?? 0) + 1
    if (count === 1 && counts.size >= maxKeys) evict(counts)
    counts.set(key, count)
    return count
  }
}

/**
 * Frees a tenth in one pass, because removing the first entry of a Map repeatedly is quadratic. Keys seen
 * once go first, because a flood of invented keys must not evict the counts of clients near their limit.
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

type RedisCounter = {
  isUsable(): boolean
  /** Returns undefined when Redis did not respond in time. */
  count(key: string, milliseconds: number): Promise<number | undefined>
  close(): Promise<void>
}

function createRedisCounter(url: string, log: Log, now: () => number, startTimeoutMs: number): RedisCounter {
  let redis: Redis | undefined
  let closed = false
  let downUntil = 0
  let lastWarning = Number.NEGATIVE_INFINITY
  let isDown = false
  let hasWarned = false
  // The first requests wait for the connection instead of counting separately.
  let starting: Promise<void> | undefined = Promise.race([
    start().catch(noteFailure),
    after(startTimeoutMs),
  ]).then(() => {
    starting = undefined
  })

  async function start(): Promise<void> {
    const client = await connectRedis(url, log)
    if (closed) return client.disconnect()
    client.defineCommand('kithRateHit', { numberOfKeys: 1, lua: hitScript })
    redis = client
    // Rejects when the first connection fails.
    await once(client, 'ready')
  }

  function noteFailure(error: unknown): void {
    isDown = true
    downUntil = now() + retryAfter
    if (closed || now() - lastWarning < windowLength) return
    lastWarning = now()
    hasWarned = true
    log.warn({ err: error }, 'redis does not answer: each process counts rate limits for itself')
  }

  async function count(key: string, milliseconds: number): Promise<number | undefined> {
    // During an outage only one request at a time checks whether Redis is back.
    if (isDown) downUntil = now() + retryAfter
    await starting
    try {
      if (redis?.status !== 'ready') throw new Error(`redis is ${redis?.status ?? 'not connected yet'}`)
      const value = await redis.kithRateHit(keyPrefix + key, milliseconds)
      isDown = false
      if (hasWarned) log.info('redis answers again: rate limits are shared')
      hasWarned = false
      return value
    } catch (error) {
      noteFailure(error)
      return undefined
    }
  }

  return {
    isUsable: () => !closed && (!isDown || now() >= downUntil),
    count,
    async close() {
      closed = true
      redis?.disconnect()
    },
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
