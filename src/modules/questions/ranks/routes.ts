import { RankedUser, RanksQuery, rankedUsers } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { AnswerRanksQuery } from './schema.ts'
import { followAnonymity, rankingOf } from './service.ts'

/** Who leads in answering. */
export function questionRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })
  followAnonymity(ctx)

  route('GET /question-ranks/answers', {
    operationId: 'listAnswererRanks',
    summary: 'Who answered most today, in the last week or the last month',
    access: 'optional',
    replica: true,
    query: AnswerRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })

  route('GET /question-ranks/likes', {
    operationId: 'listAnswerLikeRanks',
    summary: 'Whose answers are most liked',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'likes'), query, viewer.id),
  })

  route('GET /question-ranks/experts', {
    operationId: 'listExpertRanks',
    summary: 'Which experts earned most',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'experts'), query, viewer.id),
  })
}
