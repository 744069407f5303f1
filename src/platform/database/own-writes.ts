import type { Redis } from 'ioredis'
import type { LRUCache } from 'lru-cache'
import type { Log } from '#platform/observability'
import { connectRedis, notifySiblings, onSiblingMessage } from '#platform/processes'

/**
 * The minimum replica position of each user who wrote: in memory, in the other processes of the node, and in
 * Redis.
 */
export type OwnWrites = {
  note(userId: number, position: number): Promise<void>
  /** Returns the position of a user's last write; 0 without one, and infinity when unknown. */
  last(userId: number): number | Promise<number>
  close(): Promise<void>
}

export type OwnWritesOptions = {
  redisUrl?: string | undefined
  /** Marks the time after which no replica in use lacks earlier writes. */
  maxLagMs: number
  /** Resolves when every replica in use has replayed a position, at most after `maxLagMs`. */
  whenReplayed(position: number): Promise<void>
  now?: () => number
}

type Wrote = { userId: number; position: number }

const PREFIX = 'kith:wrote:'

export function shareOwnWrites(
  known: LRUCache<number, number>,
  log: Log,
  { redisUrl, maxLagMs, whenReplayed, now = () => performance.now() }: OwnWritesOptions,
): OwnWrites {
  const remember = ({ userId, position }: Wrote) => {
    if ((known.get(userId) ?? 0) < position) known.set(userId, position)
  }
  onSiblingMessage<Wrote>('somebody wrote', remember)
  let redis: Redis | undefined
  let isClosed = false
  /** Redis may have lost notes before it came back, so reads go to the primary for a while. */
  let unknownUntil = Number.POSITIVE_INFINITY
  if (redisUrl !== undefined)
    connectRedis(redisUrl, log).then(
      (made) => {
        if (isClosed) return made.disconnect()
        redis = made
        made.on('ready', () => {
          unknownUntil = now() + maxLagMs
        })
      },
      (error) => log.warn({ err: error }, 'redis'),
    )
  const share = async ({ userId, position }: Wrote) => {
    try {
      if (!redis) throw new Error('redis is not connected yet')
      await redis.set(`${PREFIX}${userId}`, position, 'PX', known.ttl)
    } catch {
      // Another node would choose a stale replica.
      await whenReplayed(position)
    }
  }
  return {
    async note(userId, position) {
      remember({ userId, position })
      // Delays the reply, so that later reads of any user see the write.
      await Promise.all([
        notifySiblings('somebody wrote', { userId, position } satisfies Wrote),
        redisUrl === undefined ? undefined : share({ userId, position }),
      ])
    },
    last(userId) {
      const here = known.get(userId) ?? 0
      if (redisUrl === undefined) return here
      if (redis?.status !== 'ready' || now() < unknownUntil) return Number.POSITIVE_INFINITY
      return redis.get(`${PREFIX}${userId}`).then(
        (there) => Math.max(here, Number(there ?? 0)),
        () => Number.POSITIVE_INFINITY,
      )
    },
    async close() {
      isClosed = true
      redis?.disconnect()
    },
  }
}
