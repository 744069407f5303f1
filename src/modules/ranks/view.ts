import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { PlacedUser } from './schema.ts'

/** People by ids in the order of their rank, with their places counted from `offset`. */
export async function placedUsers(
  ctx: Context,
  ids: number[],
  offset: number,
  viewerId: number,
): Promise<PlacedUser[]> {
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id, position) => {
    const user = users.get(id)
    return user ? [{ ...user, extra: { ...user.extra, rank: offset + position + 1 } }] : []
  })
}
