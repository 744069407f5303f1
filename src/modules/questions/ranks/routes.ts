import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { AnswerRanksQuery, RankedUser, RanksQuery } from './schema.ts'
import { followAnonymity, listRanked } from './service.ts'

const response = { 200: Type.Array(RankedUser) }
const tags = ['Questions']

export function questionRankRoutes(server: Server, ctx: Context) {
  followAnonymity(ctx)
  server.get(
    '/question-ranks/answers',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Who answered most today, in the last week or the last month',
        querystring: AnswerRanksQuery,
        response,
      },
    },
    (request) => listRanked(ctx, request.query.type ?? 'day', viewerId(request), request.query),
  )
  for (const name of ['likes', 'experts'] as const)
    server.get(
      `/question-ranks/${name}`,
      {
        config: { access: 'optional' },
        schema: {
          tags,
          summary: name === 'likes' ? 'Whose answers are most liked' : 'Which experts earned most',
          querystring: RanksQuery,
          response,
        },
      },
      (request) => listRanked(ctx, name, viewerId(request), request.query),
    )
}
