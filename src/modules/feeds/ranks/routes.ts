import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { RankedUser, RanksQuery } from './schema.ts'
import { listRanks } from './service.ts'

export function feedRankRoutes(server: Server, ctx: Context) {
  server.get(
    '/feeds/ranks',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Feeds'],
        summary: 'Authors by the likes of their feeds of today, the last week or the last month',
        querystring: RanksQuery,
        response: { 200: Type.Array(RankedUser) },
      },
    },
    (request) => listRanks(ctx, viewerId(request), request.query),
  )
}
