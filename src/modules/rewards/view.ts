import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { listRewards, type RewardRow } from './queries.ts'
import type { Reward } from './schema.ts'

/** Rewards with who gave them, in the order of the rows. A reward is never changed. */
export async function withGivers(ctx: Context, rows: RewardRow[], viewerId: number): Promise<Reward[]> {
  const givers = rows.map((row) => row.user_id)
  const users = await userViews(ctx, ctx.sql, givers, viewerId)
  return rows.map((row) => {
    const created_at = wireTime(row.created_at)
    return { ...row, created_at, updated_at: created_at, user: users.get(row.user_id) ?? null }
  })
}

/** The newest rewards of some content, for previews. */
export const latestRewards = async (
  ctx: Context,
  { type, contentId, limit, viewerId }: { type: string; contentId: number; limit: number; viewerId: number },
): Promise<Reward[]> => withGivers(ctx, await listRewards(ctx.sql, type, contentId, { limit }), viewerId)
