import { LRUCache } from 'lru-cache'
import { peopleFor } from '#modules/users/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Foreseen } from './view.ts'

/** Maximum number of user ids in memory, some 2 MB. */
const IDS_MOST = 200_000
const OVERHEAD = 20

const lastPeople = defineState(() => new LRUCache<string, ReadonlySet<number>>({ maxSize: IDS_MOST }))

/**
 * Reads the users whom the page `key` contained at the last request, because most requests for a first page find the
 * same people as the one before. Reading them later would take another round trip.
 */
export function foreseePeople(ctx: Context, key: string, viewerId: number): Promise<Foreseen | undefined> {
  const ids = lastPeople(ctx).get(key)
  if (!ids) return Promise.resolve(undefined)
  const reading = peopleFor(ctx, ctx.sql, ids, viewerId).then((people) => ({ people, ids }))
  // The caller throws the error, unless the page itself fails first.
  reading.catch(() => {})
  return reading
}

export function rememberPeople(ctx: Context, key: string, ids: ReadonlySet<number>): void {
  lastPeople(ctx).set(key, ids, { size: ids.size + OVERHEAD })
}
