import type { Context } from '#platform/context.ts'
import { userViews } from '../users/view.ts'
import type { RankedUser, RanksQuery } from './schema.ts'

/** A person and what they are ranked by. */
export type RankedRow = { user_id: number; count: number }

/** A page of a ranking that was found as a whole; whoever was disabled meanwhile is left out and keeps their place. */
export async function rankedUsers(
  ctx: Context,
  ranking: readonly RankedRow[],
  { limit = 10, offset = 0 }: RanksQuery,
  viewerId: number,
): Promise<RankedUser[]> {
  const page = ranking.slice(offset, offset + limit)
  const ids = page.map(({ user_id }) => user_id)
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return page.flatMap(({ user_id, count }, position) => {
    const user = users.get(user_id)
    return user ? [{ ...user, extra: { ...user.extra, rank: offset + position + 1, count } }] : []
  })
}
