import type { Redis } from 'ioredis'
import type { LRUCache } from 'lru-cache'
import type { Log } from '#platform/log.ts'
import { onSibling, tellSiblings } from '#platform/processes/siblings.ts'
import { connectRedis } from '#platform/redis.ts'

/** How far a replica has to be for each person who wrote: in memory, in the other processes of the node, and in Redis. */
export type OwnWrites = {
  note(userId: number, position: number): Promise<void>
  /** The position of somebody's last write, 0 where nothing is known, and beyond everything where that cannot be told. */
  last(userId: number): number | Promise<number>
  close(): Promise<void>
}

type Wrote = { userId: number; position: number }

const PREFIX = 'kith:wrote:'

export function shareOwnWrites(known: LRUCache<number, number>, log: Log, redisUrl?: string): OwnWrites {
  const remember = ({ userId, position }: Wrote) => {
    if ((known.get(userId) ?? 0) < position) known.set(userId, position)
  }
  onSibling<Wrote>('somebody wrote', remember)
  let redis: Redis | undefined
  let isClosed = false
  if (redisUrl !== undefined)
    connectRedis(redisUrl, log).then(
      (made) => {
        if (isClosed) made.disconnect()
        else redis = made
      },
      (error) => log.warn({ err: error }, 'redis'),
    )
  return {
    async note(userId, position) {
      remember({ userId, position })
      // The reply waits: whoever asks after it, and whomever, reads what was written.
      await Promise.all([
        tellSiblings('somebody wrote', { userId, position } satisfies Wrote),
        redis?.set(`${PREFIX}${userId}`, position, 'PX', known.ttl).catch(() => {}),
      ])
    },
    last(userId) {
      const here = known.get(userId) ?? 0
      if (redisUrl === undefined) return here
      if (redis?.status !== 'ready') return Number.POSITIVE_INFINITY
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
