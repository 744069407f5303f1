import { listIdsByCount } from '#modules/accounts/index.ts'
import { listCheckinIds, requireCheckins } from '#modules/checkins/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { CheckinRanked, RankedUser, RankQuery } from './schema.ts'
import { rankMoney } from './service.ts'
import { rankedUsers } from './view.ts'

/** Who is followed, owns, earned or came by most. */
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
      const ids = await listIdsByCount(ctx.sql, 'followers_count', { limit, offset })
      return rankedUsers(ctx, ids, {
        offset,
        viewerId: viewerId(request),
        count: (user) => user.extra.followers_count,
      })
    },
  )

  const money = [
    ['balance', 'People by the wallet money they own, the earlier account first in a tie'],
    ['income', 'People by the wallet money that others paid them, the earlier account first in a tie'],
  ] as const
  for (const [name, summary] of money)
    server.get(
      `/ranks/${name}`,
      {
        config: { access: 'optional' },
        schema: {
          tags: ['Ranks'],
          summary,
          querystring: RankQuery,
          response: { 200: Type.Array(RankedUser) },
        },
      },
      async (request) => {
        const { limit = 10, offset = 0 } = request.query
        const page = (await rankMoney(ctx, name)).slice(offset, offset + limit)
        return rankedUsers(
          ctx,
          page.map(({ user_id }) => user_id),
          {
            offset,
            viewerId: viewerId(request),
            // What somebody owns is their own business (R §12.5 tells no count here either).
            ...(name === 'income' ? { count: (_, position) => page[position]?.count ?? 0 } : {}),
          },
        )
      },
    )

  server.get(
    '/checkin-ranks',
    {
      config: { access: 'optional', before: () => requireCheckins(ctx) },
      schema: {
        tags: ['Ranks'],
        summary: 'People by the number of their check-ins, the earlier account first in a tie',
        querystring: RankQuery,
        response: { 200: Type.Array(CheckinRanked) },
      },
    },
    async (request) => {
      await requireCheckins(ctx)
      const { limit = 10, offset = 0 } = request.query
      const viewer = viewerId(request)
      const ids = await listCheckinIds(ctx.sql, { limit, offset })
      const users = await rankedUsers(ctx, ids, { offset, viewerId: viewer })
      return users.map(({ extra: { rank, ...extra }, ...user }) => ({
        ...user,
        follwing: user.following,
        extra: viewer === 0 ? extra : { ...extra, rank },
      }))
    },
  )
}
