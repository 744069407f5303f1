import type { Redis } from 'ioredis'
import type { Log } from '#platform/observability'

/** Timeout of a command; a healthy server responds in well under 1 ms. */
const commandTimeout = 100

/**
 * A connection that fails fast: it rejects commands during an outage and reconnects indefinitely. The caller
 * logs outages; the error listener here only keeps the process alive.
 */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    connectTimeout: 2_000,
    // Replaces a connection that never replies to commands.
    socketTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    // After a failover the old primary still replies, but to reads only.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  redis.on('error', (error) => log.debug({ err: error }, 'redis connection failed'))
  return redis
}
