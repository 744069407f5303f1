import { type Period, type PeriodSums, type RankedRow, rankByPeriodSums } from '#contracts/period-sums.ts'
import { mountRanking, withEnabledUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven } from '#platform/database'
import type { Server } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { FEED_LIKES, liveFeeds } from './queries.ts'
import { readFeedSettings } from './settings.ts'

export const feedLikes: PeriodSums = {
  ranking: FEED_LIKES,
  counted: (sql, from, before) => sql`
    select f.user_id, f.like_count as n from feeds f
    where f.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and f.created_at < ${end}`)}
      and ${liveFeeds(sql)} and f.like_count > 0`,
}

/** Adds recent feeds that the hot list lacks, such as after an administrator raises its number of days. */
export const addMissingHots = (sql: Db, days: number) => sql`
  insert into feed_hots (feed_id, hot, created_at)
  select f.id, f.hot + coalesce(v.ranked, 0), f.created_at from feeds f left join feed_views v on v.feed_id = f.id
  where f.created_at > now() - make_interval(days => ${days}) and f.deleted_at is null
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
  const days = (await readFeedSettings(ctx))['feed:list-hot-days']
  await addMissingHots(ctx.sql, days)
  while ((await removeOldHots(ctx.sql, days)) > 0);
}

const RANKED = 1000

const rankingOf = cacheCostly<Period, RankedRow[]>(60_000, ({ sql }, period) =>
  rankByPeriodSums(sql, feedLikes, period, { enabled: withEnabledUser, limit: RANKED }),
)

/** Ranking of authors by likes (feeds-27). */
export const feedRankRoutes = (server: Server, ctx: Context) =>
  mountRanking(server, ctx, '/feeds/ranks', {
    tag: 'Feeds',
    operationId: 'listFeedRanks',
    summary: 'Rank authors by the likes of their feeds of today, the last week or the last month',
    byPeriod: true,
    rankingOf,
  })
