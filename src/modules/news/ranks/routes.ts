import { UserView } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Limit, Offset, OneOf, Type } from '#platform/schema.ts'
import { RANK_TYPES } from './queries.ts'
import { listNewsRanks } from './service.ts'

const RanksQuery = Type.Object({
  type: Type.Optional(OneOf(RANK_TYPES, { default: 'day' })),
  limit: Limit(10),
  offset: Offset,
})

/** A person in the ranking, with the place (from 1) and the views counted. */
const RankedAuthor = Type.Object({
  ...UserView.properties,
  extra: Type.Object({
    ...UserView.properties.extra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})

export function newsRankRoutes(server: Server, ctx: Context) {
  server.get(
    '/news/ranks',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['News'],
        summary: 'Authors by the views of their articles of today, the last week or the last month',
        querystring: RanksQuery,
        response: { 200: Type.Array(RankedAuthor) },
      },
    },
    (request) => listNewsRanks(ctx, viewerId(request), request.query),
  )
}
