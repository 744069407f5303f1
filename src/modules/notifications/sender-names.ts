import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { defineCache } from '#platform/memory'

const cacheOf = defineCache<{ name: string }>('sender-names', { max: 50_000, ttlMs: 60_000 })

/** Finds the names of senders by user id. Disabled and unknown users have an empty name. */
export async function findSenderNames(ctx: Context, ids: Iterable<number>): Promise<Map<number, string>> {
  const found = await cacheOf(ctx).getAll([...new Set(ids)].map(String), async (missing) => {
    const rows = await ctx.sql<{ id: number; name: string }[]>`
      select id, name from users where id = any(${missing}::bigint[]) and deleted_at is null`
    const names = new Map(rows.map(({ id, name }) => [String(id), name]))
    return new Map(missing.map((id) => [id, { name: names.get(id) ?? '' }]))
  })
  return new Map([...found].map(([id, { name }]) => [Number(id), name]))
}

/** Invalidates the cached name of a user at commit. Call this after each change of `name` or `deleted_at`. */
export const invalidateSenderName = (ctx: Context, db: Db, ...userIds: number[]): Promise<void> =>
  cacheOf(ctx).announce(db, ...userIds.map(String))
