import { RankedUser, rankedUsers } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { FeedRanksQuery } from './schema.ts'
import { rankingOf } from './service.ts'

/** Whose feeds are liked most (feeds-27). */
export function feedRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('GET /feeds/ranks', {
    operationId: 'listFeedRanks',
    summary: 'Rank authors by the likes of their feeds of today, the last week or the last month',
    access: 'optional',
    replica: true,
    query: FeedRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })
}
