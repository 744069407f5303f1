import type { RankedRow } from '#contracts/period-sums.ts'
import { checkinsDisabled, requireCheckins } from '#modules/checkins/index.ts'
import { rankByBalance, rankByIncome } from '#modules/ledger/index.ts'
import {
  listIdsByCount,
  mountRanking,
  peopleFor,
  RankedUser,
  RanksQuery,
  UserExtra,
  UserView,
} from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Shared, type Static, Type } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import type { Module } from '../../module.ts'

export const PlacedUser = Shared('PlacedUser', {
  ...UserView.properties,
  extra: Shared('PlacedUserExtra', { ...UserExtra.properties, rank: Type.Integer() }),
})
export type PlacedUser = Static<typeof PlacedUser>

/** Contains `follwing`, a misspelling that existing clients read. Only signed-in viewers get `rank`. */
const CheckinRankedUser = Shared('CheckinRankedUser', {
  ...UserView.properties,
  follwing: Type.Boolean(),
  extra: Shared('CheckinRankedUserExtra', { ...UserExtra.properties, rank: Type.Optional(Type.Integer()) }),
})

export type MoneyRanking = 'balance' | 'income'

const RANKINGS = { balance: rankByBalance, income: rankByIncome }

export const rankMoney = cacheCostly<MoneyRanking, RankedRow[]>(600_000, ({ sql }, name) =>
  RANKINGS[name](sql).execute(),
)

async function placedUsers(
  ctx: Context,
  ids: number[],
  offset: number,
  viewerId: number,
): Promise<PlacedUser[]> {
  const { users, hidden } = await peopleFor(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id, position) => {
    const user = users.get(id)
    if (!user || hidden.has(id)) return []
    return [{ ...user, extra: { ...user.extra, rank: offset + position + 1 } }]
  })
}

export function rankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Ranks' })

  route('GET /ranks/followers', {
    operationId: 'listFollowerRanks',
    summary: 'Rank people by followers; earlier accounts win ties',
    access: 'optional',
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
    summary: 'Rank people by wallet balance; earlier accounts win ties',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(PlacedUser) },
    async handler({ query: { limit = 10, offset = 0 }, viewer }) {
      const ranking = await rankMoney(ctx, 'balance')
      // Omits the amounts by which users are ranked, because balances are private.
      const ids = ranking.slice(offset, offset + limit).map(({ user_id }) => user_id)
      return placedUsers(ctx, ids, offset, viewer.id)
    },
  })

  mountRanking(server, ctx, '/ranks/income', {
    tag: 'Ranks',
    operationId: 'listIncomeRanks',
    summary: 'Rank people by wallet income; earlier accounts win ties',
    rankingOf: () => rankMoney(ctx, 'income'),
  })

  route('GET /checkin-ranks', {
    operationId: 'listCheckinRanks',
    summary: 'Rank people by check-ins; earlier accounts win ties',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(CheckinRankedUser) },
    errors: [checkinsDisabled],
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

export const module: Module = {
  tags: {
    Ranks: { place: 25, about: 'Rankings of people.' },
  },
  routes: () => [rankRoutes],
}
