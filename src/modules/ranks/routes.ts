import { listPopularIds } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { RankedUser, RankQuery } from './schema.ts'
import { rankedUsers } from './view.ts'

export function rankRoutes(server: Server, ctx: Context) {
  server.get(
    '/ranks/followers',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Ranks'],
        summary: 'People by the number of their followers, the earlier account first in a tie',
        querystring: RankQuery,
        response: { 200: Type.Array(RankedUser) },
      },
    },
    async (request) => {
      const { limit = 10, offset = 0 } = request.query
      const ids = await listPopularIds(ctx.sql, { limit, offset })
      return rankedUsers(ctx, ids, {
        offset,
        viewerId: viewerId(request),
        count: (user) => user.extra.followers_count,
      })
    },
  )
}
