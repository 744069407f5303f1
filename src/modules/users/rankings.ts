import { PERIODS, type Period, type RankedRow } from '#contracts/period-sums.ts'
import type { Context } from '#platform/context.ts'
import { Limit, Offset, OneOf, routesOn, type Server, Shared, type Static, Type } from '#platform/http'
import { UserExtra, UserView } from './schema.ts'
import { peopleFor } from './view.ts'

export const RanksQuery = Type.Object({ limit: Limit(10), offset: Offset })
type RanksQuery = Static<typeof RanksQuery>

const PeriodRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

export const RankedUser = Shared('RankedUser', {
  ...UserView.properties,
  extra: Shared('RankedUserExtra', {
    ...UserExtra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})
type RankedUser = Static<typeof RankedUser>

/**
 * Adds user data to a page of a ranking. Omits disabled users, and those hidden from the viewer (relations-2), without
 * changing the ranks of the users below them.
 */
async function rankedUsers(
  ctx: Context,
  ranking: readonly RankedRow[],
  { limit = 10, offset = 0 }: RanksQuery,
  viewerId: number,
): Promise<RankedUser[]> {
  const page = ranking.slice(offset, offset + limit)
  const ids = page.map(({ user_id }) => user_id)
  const { users, hidden } = await peopleFor(ctx, ctx.sql, ids, viewerId)
  return page.flatMap(({ user_id, count }, position) => {
    const user = users.get(user_id)
    if (!user || hidden.has(user_id)) return []
    return [{ ...user, extra: { ...user.extra, rank: offset + position + 1, count } }]
  })
}

type RankingOptions = {
  tag: string
  operationId: string
  summary: string
  /** Lets the request select a period of the ranking, such as a week. */
  byPeriod?: true
  rankingOf(ctx: Context, period: Period): Promise<readonly RankedRow[]>
}

/** Adds the route of a ranking of users, such as authors by likes. */
export function mountRanking(
  server: Server,
  ctx: Context,
  path: `/${string}`,
  { tag, operationId, summary, byPeriod, rankingOf }: RankingOptions,
) {
  const route = routesOn(server, ctx, { tag })

  route(`GET ${path}`, {
    operationId,
    summary,
    access: 'optional',
    query: (byPeriod ? PeriodRanksQuery : RanksQuery) as typeof PeriodRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })
}
