import { type UserView, userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { RankedUser } from './schema.ts'

/** People by ids in the order of their rank, with their places counted from `offset`. */
export async function rankedUsers(
  ctx: Context,
  ids: number[],
  {
    offset,
    viewerId,
    count,
  }: { offset: number; viewerId: number; count?: (user: UserView, position: number) => number },
): Promise<RankedUser[]> {
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id, position) => {
    const user = users.get(id)
    if (!user) return []
    const counted = count ? { count: count(user, position) } : {}
    const extra = { ...user.extra, rank: offset + position + 1, ...counted }
    return [{ ...user, extra }]
  })
}
