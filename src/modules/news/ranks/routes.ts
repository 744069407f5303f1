import { RankedUser, RanksQuery, rankedUsers } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { PERIODS } from '#platform/periods.ts'
import { OneOf, Type } from '#platform/schema.ts'
import { rankingOf } from './service.ts'

const NewsRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

/** Which authors are read most (news-19). */
export function newsRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news/ranks', {
    operationId: 'listNewsRanks',
    summary: 'Authors by the views of their articles of today, the last week or the last month',
    access: 'optional',
    replica: true,
    query: NewsRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })
}
