import { listIdsByCount, RankedUser, RanksQuery, rankedUsers } from '#modules/accounts/index.ts'
import { checkinsOff, requireCheckins } from '#modules/checkins/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { CheckinRankedUser, PlacedUser } from './schema.ts'
import { rankMoney } from './service.ts'
import { placedUsers } from './view.ts'

/** Who is followed, owns, earned or came by most (feeds-28, feeds-38). */
export function rankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Ranks' })

  route('GET /ranks/followers', {
    operationId: 'listFollowerRanks',
    summary: 'Rank people by the number of their followers, the earlier account first in a tie',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    async handler({ query: { limit = 10, offset = 0 }, viewer }) {
      const ids = await listIdsByCount(ctx.sql, 'followers_count', { limit, offset })
      const users = await placedUsers(ctx, ids, offset, viewer.id)
      return users.map((user) => ({
        ...user,
        extra: { ...user.extra, count: user.extra.followers_count },
      }))
    },
  })

  route('GET /ranks/balance', {
    operationId: 'listBalanceRanks',
    summary: 'Rank people by the wallet money they own, the earlier account first in a tie',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(PlacedUser) },
    async handler({ query: { limit = 10, offset = 0 }, viewer }) {
      const ranking = await rankMoney(ctx, 'balance')
      // What somebody owns is their own business, so the amount is not told.
      const ids = ranking.slice(offset, offset + limit).map(({ user_id }) => user_id)
      return placedUsers(ctx, ids, offset, viewer.id)
    },
  })

  route('GET /ranks/income', {
    operationId: 'listIncomeRanks',
    summary: 'Rank people by the wallet money that others paid them, the earlier account first in a tie',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankMoney(ctx, 'income'), query, viewer.id),
  })

  route('GET /checkin-ranks', {
    operationId: 'listCheckinRanks',
    summary: 'Rank people by the number of their check-ins, the earlier account first in a tie',
    access: 'optional',
    replica: true,
    query: RanksQuery,
    reply: { 200: Type.Array(CheckinRankedUser) },
    errors: [checkinsOff],
    load: () => requireCheckins(ctx),
    async handler({ query: { limit = 10, offset = 0 }, viewer }) {
      const ids = await listIdsByCount(ctx.sql, 'checkin_count', { limit, offset })
      const users = await placedUsers(ctx, ids, offset, viewer.id)
      return users.map(({ extra: { rank, ...extra }, ...user }) => ({
        ...user,
        follwing: user.following,
        extra: viewer.id === 0 ? extra : { ...extra, rank },
      }))
    },
  })
}
