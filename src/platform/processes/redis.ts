import type { Redis } from 'ioredis'
import type { Log } from '#platform/observability'

/** Command timeout in milliseconds. Redis normally responds in less than 1 ms. */
const commandTimeout = 100

/**
 * Connects a client that rejects commands during an outage and reconnects indefinitely. Callers log outages,
 * and the error listener only prevents a crash.
 */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
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
