import { once } from 'node:events'
import type { Redis, Result } from 'ioredis'
import pTimeout from 'p-timeout'
import type { Log } from '#platform/observability'

const keyPrefix = 'kith:rate:'
/** Time in milliseconds between retries of an unavailable Redis. */
const retryAfter = 1_000
/** Minimum time in milliseconds between warnings of an outage. */
const warnAfter = 60_000
/** Command timeout in milliseconds. Redis normally responds in less than 1 ms. */
const commandTimeout = 100

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
 * Connects a client that rejects commands during an outage and reconnects indefinitely. The counter logs
 * outages, and the error listener only prevents a crash.
 */
async function connectRedis(url: string, log: Log): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    connectTimeout: 2_000,
    // Replaces a connection on which Redis no longer responds.
    socketTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    // After a failover, the old primary rejects writes with READONLY.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  redis.on('error', (error) => log.debug({ err: error }, 'redis connection failed'))
  return redis
}

/** Resolves a count with undefined while Redis is unavailable. */
export function createRedisCounter(url: string, log: Log, now: () => number, startTimeoutMs = 500) {
  let redis: Redis | undefined
  let closed = false
  /** Time of the next retry. Zero while Redis is available. */
  let downUntil = 0
  let lastWarning = Number.NEGATIVE_INFINITY
  let hasWarned = false
  // The first requests wait for the connection to Redis, because otherwise each server node would count them
  // separately.
  let starting: Promise<void> | undefined = pTimeout(start().catch(noteFailure), {
    milliseconds: startTimeoutMs,
    message: false,
  }).then(() => {
    starting = undefined
  })

  async function start(): Promise<void> {
    const client = await connectRedis(url, log)
    if (closed) return client.disconnect()
    client.defineCommand('kithRateHit', { numberOfKeys: 1, lua: hitScript })
    redis = client
    // `once` rejects when the first attempt to connect fails.
    await once(client, 'ready')
  }

  function noteFailure(error: unknown): void {
    downUntil = now() + retryAfter
    if (closed || now() - lastWarning < warnAfter) return
    lastWarning = now()
    hasWarned = true
    log.warn({ err: error }, 'redis does not answer: each server node counts rate limits for itself')
  }

  async function count(key: string, milliseconds: number): Promise<number | undefined> {
    // Postpones the next retry, so that only one request at a time tries Redis during an outage.
    if (downUntil > 0) downUntil = now() + retryAfter
    await starting
    try {
      if (redis?.status !== 'ready') throw new Error(`redis is ${redis?.status ?? 'not connected yet'}`)
      const value = await redis.kithRateHit(keyPrefix + key, milliseconds)
      downUntil = 0
      if (hasWarned) log.info('redis answers again: rate limits are shared')
      hasWarned = false
      return value
    } catch (error) {
      noteFailure(error)
      return undefined
    }
  }

  return {
    isUsable: () => !closed && now() >= downUntil,
    count,
    async clock(): Promise<number | undefined> {
      if (redis?.status !== 'ready') return undefined
      const parts = await redis.time().catch(() => undefined)
      return parts && Number(parts[0]) * 1000 + Number(parts[1]) / 1000
    },
    async close() {
      closed = true
      redis?.disconnect()
    },
  }
}
