import { PERIODS, type Period, type PeriodSums, rankByPeriodSums } from '#contracts/period-sums.ts'
import {
  type RankedRow,
  RankedUser,
  RanksQuery,
  rankedUsers,
  withEnabledUser,
} from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven } from '#platform/database'
import { OneOf, routesOn, type Server, Type } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { FEED_LIKES, visibleFeed } from './queries.ts'

export const feedLikes: PeriodSums = {
  ranking: FEED_LIKES,
  counted: (sql, from, before) => sql`
    select f.user_id, f.like_count as n from feeds f
    where f.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and f.created_at < ${end}`)}
      and ${visibleFeed(sql)} and f.like_count > 0`,
}

/** Adds recent feeds to the hot list after an administrator raises its number of days. */
export const addMissingHots = (sql: Db, days: number) => sql`
  insert into feed_hots (feed_id, hot, created_at)
  select id, hot, created_at from feeds
  where created_at > now() - make_interval(days => ${days}) and deleted_at is null
  on conflict do nothing`

const BATCH = 5000

export async function removeOldHots(sql: Db, days: number): Promise<number> {
  const { count } = await sql`
    delete from feed_hots where feed_id in (
      select feed_id from feed_hots where created_at <= now() - make_interval(days => ${days}) limit ${BATCH}
    )`
  return count
}

export async function refreshHots(ctx: Context): Promise<void> {
  const days = (await readSettings(ctx))['feed:list-hot-days']
  await addMissingHots(ctx.sql, days)
  while ((await removeOldHots(ctx.sql, days)) > 0);
}

const RANKED = 1000

const rankingOf = cacheCostly<Period, RankedRow[]>(60_000, ({ sql }, period) =>
  rankByPeriodSums(sql, feedLikes, period, { enabled: withEnabledUser, limit: RANKED }),
)

const FeedRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

export function feedRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('GET /feeds/ranks', {
    operationId: 'listFeedRanks',
    summary: 'Rank authors by the likes of their feeds of today, the last week or the last month',
    access: 'optional',
    query: FeedRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })
}
