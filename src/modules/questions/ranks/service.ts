import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import { type Ranked, rankAnswerers, rankExperts, rankLiked } from './queries.ts'
import type { Period, RankedUser } from './schema.ts'

export type Ranking = 'likes' | 'experts' | Period

const rankingOf = cacheCostly<Ranking, Ranked[]>(60_000, ({ sql }, name) => {
  if (name === 'likes') return rankLiked(sql).execute()
  return (name === 'experts' ? rankExperts(sql) : rankAnswerers(sql, name)).execute()
})

/** A page of a ranking. */
export async function listRanked(
  ctx: Context,
  name: Ranking,
  viewerId: number,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<RankedUser[]> {
  const page = (await rankingOf(ctx, name)).slice(offset, offset + limit)
  const users = await userViews(
    ctx,
    ctx.sql,
    page.map(({ user_id }) => user_id),
    viewerId,
  )
  return page.flatMap(({ user_id, count }, position) => {
    const user = users.get(user_id)
    return user ? [{ ...user, extra: { ...user.extra, rank: offset + position + 1, count } }] : []
  })
}
