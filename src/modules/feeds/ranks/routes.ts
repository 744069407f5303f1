import { PERIODS, type Period, rankByPeriodSums } from '#contracts/period-sums.ts'
import {
  type RankedRow,
  RankedUser,
  RanksQuery,
  rankedUsers,
  withEnabledUser,
} from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { OneOf, routesOn, type Server, Type } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { feedLikes } from './queries.ts'

/** Length of the ranking. Its pages come from the cache. */
const RANKED = 1000

/** Authors with the most likes on feeds of a period, at most a minute old (feeds-27). */
const rankingOf = cacheCostly<Period, RankedRow[]>(60_000, ({ sql }, period) =>
  rankByPeriodSums(sql, feedLikes, period, { enabled: withEnabledUser, limit: RANKED }),
)

const FeedRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

/** Ranking of authors by likes (feeds-27). */
export function feedRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('GET /feeds/ranks', {
    operationId: 'listFeedRanks',
    summary: 'Rank authors by the likes of their feeds of today, the last week or the last month',
    access: 'optional',
    query: FeedRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })
}
