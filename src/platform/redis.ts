import type { Redis } from 'ioredis'
import type { Log } from '#platform/log.ts'

/** A command that took longer than this is given up; a healthy server answers in well under 1 ms. */
const commandTimeout = 100

/**
 * A connection that fails fast: commands are refused while it is down, and it reconnects by itself for ever.
 * The caller logs outages; here an error event only must not end the process.
 */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
    connectTimeout: 2_000,
    // a connection that swallows commands is replaced
    socketTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    // after a failover the old primary answers, but only to reads
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  redis.on('error', (error) => log.debug({ err: error }, 'redis connection failed'))
  return redis
}
