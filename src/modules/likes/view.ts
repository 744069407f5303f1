import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type LikeRow, listLatestLikes } from './queries.ts'
import type { LikeWithUser } from './schema.ts'

/** Rows with the people who gave the likes. A like is never changed, so both its times are that of its making. */
export async function withUsers(ctx: Context, rows: LikeRow[], viewerId: number): Promise<LikeWithUser[]> {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )
  return rows.map((row) => ({
    ...row,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.created_at),
    user: people.get(row.user_id) ?? null,
  }))
}

/** The newest likes of each piece of content on a page, for previews; what has none is absent. */
export async function latestLikes(
  ctx: Context,
  options: { type: string; contentIds: number[]; each: number; viewerId: number },
): Promise<Map<number, LikeWithUser[]>> {
  if (options.contentIds.length === 0) return new Map()
  const rows = await listLatestLikes(ctx.sql, options.type, options.contentIds, options.each)
  return Map.groupBy(await withUsers(ctx, rows, options.viewerId), (like) => like.likeable_id)
}
