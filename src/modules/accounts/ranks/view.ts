import type { Context } from '#platform/context.ts'
import { Limit, Offset, Shared, type Static, Type } from '#platform/http'
import { UserExtra, UserView } from '../schema.ts'
import { userViews } from '../users/view.ts'

/** Pagination of a ranking. Default: ten users. */
export const RanksQuery = Type.Object({ limit: Limit(10), offset: Offset })
export type RanksQuery = Static<typeof RanksQuery>

/** A user in a ranking, with rank (from 1) and count. */
export const RankedUser = Shared('RankedUser', {
  ...UserView.properties,
  extra: Shared('RankedUserExtra', {
    ...UserExtra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})
export type RankedUser = Static<typeof RankedUser>

/** A user with the ranking count. */
export type RankedRow = { user_id: number; count: number }

/** Adds users to a page of a ranking. Users disabled meanwhile are omitted, but later ranks stay. */
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
