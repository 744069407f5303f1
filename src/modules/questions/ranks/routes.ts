import { PERIODS } from '#contracts/period-sums.ts'
import { RankedUser, RanksQuery, rankedUsers } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { OneOf, routesOn, type Server, Type } from '#platform/http'
import { followAnonymity, rankingOf } from './service.ts'

const AnswerRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

/** Routes of the answer rankings. */
export function questionRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })
  followAnonymity(ctx)

  route('GET /question-ranks/answers', {
    operationId: 'listAnswererRanks',
    summary: 'Rank people by answers of today, the last week or the last month',
    access: 'optional',
    query: AnswerRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })

  route('GET /question-ranks/likes', {
    operationId: 'listAnswerLikeRanks',
    summary: 'Rank people by likes of their answers',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'likes'), query, viewer.id),
  })

  route('GET /question-ranks/experts', {
    operationId: 'listExpertRanks',
    summary: 'Rank experts by income',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'experts'), query, viewer.id),
  })
}
